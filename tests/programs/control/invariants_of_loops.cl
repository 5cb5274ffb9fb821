// What loops do not change, under `if`s and in loops that are not entered: products, shifts by any count,
// divisions that must not be executed, and loads that would reach outside.
//! buffer data: int = 3
//! buffer out: int 6
//! launch: run(data, out, int 4, int 3, int 3, int 0) global 1
//! launch: run(data, out, int 0, int 0, int 5, int 1) global 1
//! launch: run(data, out, int 3, int 0, int 2, int 2) global 1
//! launch: run(data, out, int 5, int 40, int 7, int 3) global 1
//! launch: run(data, out, int 1, int 1, int 1, int 4) global 1
//! launch: run(data, out, int 6, int 2, int 0, int 5) global 1
//! expect out: -468 0 54 -246396 3 36

__kernel void run(__global const int *data, __global int *out, const int n, const int d, const int m,
                  const int place)
{
    int total = 0;
    for (int i = 0; i < n; ++i) {
        // `data` has one element; it is 3.
        if (d != 0)
            total += d * d * data[d == 0 ? 1 << 28 : 0] / d;
        for (int j = 0; j < m; ++j) {
            const int k = m * m + 5;
            if ((i ^ j) & 1)
                total += k * 2;
            else if (d > 2)
                total -= k << d;
        }
    }
    out[place] = total;
}
