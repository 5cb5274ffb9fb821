// Loops that start at local ids of a work-group of a required size and end at a constant: equally often for
// all work-items, once more for some, once or never, with a `continue` and with sums that are used
// afterwards.
//! buffer out: int 169
//! launch: run(out) global 8x4 local 8x4
//! expect out: 0 10 20 30 40 50 60 70 80 90 100 110 120 130 140 150
//! expect out: 160 170 180 190 200 210 220 230 240 250 260 270 280 290 300 310
//! expect out: 320 330 340 350 360 370 380 390 0 1 2 3 4 5 6 7
//! expect out: 108 109 110 111 112 113 114 115 216 217 218 219 220 221 222 223
//! expect out: 324 325 326 327 328 329 330 331 432 433 -1 -1 2 3 4 5
//! expect out: 6 7 8 9 110 111 112 113 114 115 116 117 218 219 220 221
//! expect out: 222 223 224 225 326 327 328 329 330 331 332 333 0 -1 2 3
//! expect out: -1 5 6 -1 108 109 -1 111 112 -1 114 115 -1 217 218 -1
//! expect out: 220 221 -1 223 324 -1 326 327 -1 329 330 -1 432 433 0 1
//! expect out: 4 9 16 25 36 24 27 30 33 16 18 20 22 -1 -1 -1
//! expect out: -1 -1 -1 -1 -1 -1 -1 -1 -1

__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void run(__global int *out)
{
    const uint x = get_local_id(0), y = get_local_id(1);
    __local int all[169];
    for (int i = y * 8 + x; i < 169; i += 32)
        all[i] = -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = y; i < 40; i += 4) {
        if (x == 0)
            all[i] = i * 10;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (y == 0) {
        int round = 0;
        for (uint i = x; i < 34; i += 8)
            all[40 + i] = i + 100 * round++;
        round = 0;
        for (int i = x + 2; i <= 33; i += 8)
            all[74 + i] = i + 100 * round++;
        round = 0;
        for (ulong i = get_local_id(0); i < 34; i += 8) {
            const int now = round++;
            if (i % 3 == 1)
                continue;
            all[108 + i] = i + 100 * now;
        }
        for (size_t i = get_local_id(0); i < 7; i += get_local_size(0))
            all[142 + i] = i * i;
        int sum = 0;
        uint i = x;
        for (; i < 20; i += 8)
            sum += i;
        all[149 + x] = sum + (i >= 28 ? 1000 : 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = y * 8 + x; i < 169; i += 32)
        out[i] = all[i];
}
