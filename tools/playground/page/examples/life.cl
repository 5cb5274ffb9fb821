// Conway's game of life on a torus. Press the mouse, and cells come to life.
kernel void life(global const uchar *cells, global uchar *next, int2 size,
                 int4 mouse)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= size.x || y >= size.y)
        return;

    int neighbours = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            int column = (x + dx + size.x) % size.x;
            int row = (y + dy + size.y) % size.y;
            if (dx != 0 || dy != 0)
                neighbours += cells[row * size.x + column];
        }

    bool own = cells[y * size.x + x];
    bool lives = neighbours == 3 || (own && neighbours == 2);
    bool touched = mouse.z && abs_diff(x, mouse.x) < 3
                && abs_diff(y, mouse.y) < 3 && ((x ^ y) & 1);
    next[y * size.x + x] = lives || touched;
}
