// Conway's game of life on a torus: white cells live.
kernel void life(global const uchar4 *cells, global uchar4 *next, int2 size)
{
    int x = get_global_id(0), y = get_global_id(1), neighbours = 0;
    if (x >= size.x || y >= size.y)
        return;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dx != 0 || dy != 0)
                neighbours += cells[(y + dy + size.y) % size.y * size.x + (x + dx + size.x) % size.x].x > 127;
    bool lives = cells[y * size.x + x].x > 127;
    bool stays = lives ? neighbours == 2 || neighbours == 3 : neighbours == 3;
    next[y * size.x + x] = stays ? (uchar4)(255) : (uchar4)(0, 0, 40, 255);
}
