//! buffer out: int 8
//! launch: whiles(out, int 1) global 4
//! launch: counted(out, int 400) global 4
//! launch: dos(out, int 0) global 4
//! launch: nested(out, int 0) global 2
//! launch: functions(out, int 3) global 1
//! launch: jumps(out, int 0) global 1
//! launch: skipped(out, int 2) global 1
//! launch: locked(out, int 0) global 1
//! launch: listed(out, int 0) global 1
//! launch: switched(out, int 0) global 1
//! launch: fine(out, int 400) global 4

kernel void whiles(global int *out, int n)
{
    int i = get_global_id(0);
    while (n) out[i] ^= n; //~ loops * `while (n) out[i] ^= n;` the loop did not end after 400 iterations
    out[i] = i;
}

kernel void counted(global int *out, int n)
{
    int sum = 0;
    for (uint k = n; k >= 0; k--) sum += k; //~ loops * `for (uint k = n; k >= 0; k--) sum += k;` did not end
    for (int k = 0; k <= n; k++) sum ^= k; //~ loops ? `for (int k = 0; k <= n; k++) sum ^= k;` did not end
    out[get_global_id(0)] = sum;
}

kernel void dos(global int *out, int n)
{
    int i = get_global_id(0);
    do out[i] = n; while (n == 0); //~ loops * `do out[i] = n; while (n == 0);` the loop did not end
    for (;;) if (++out[i] == -1) break; //~ loops ? `for (;;) if (++out[i] == -1) break;` the loop did not end
}

kernel void nested(global int *out, int n)
{
    int i = get_global_id(0);
    for (int k = 0; k < 20; k++) while (n == 0) out[i]++; //~ loops * `while (n == 0) out[i]++;` the loop did not end
}

int steps(int n)
{
    int count = 0;
    while (n != 1) n = n % 2 ? 3 * n + 5 : n / 2, count++; //~ loops 1 `while (n != 1) n = n % 2 ? 3 * n + 5 : n / 2, count++;` did not end
    return count;
}

kernel void functions(global int *out, int n)
{
    out[0] = n == 3 ? steps(5) : 0;
}

kernel void jumps(global int *out, int n)
{
    uint k = 0;
again:
    if (++k != 0) goto again; //~ loops * `++k` the loop did not end
    out[0] = k;
}

kernel void skipped(global int *out, int n)
{
    for (int k = 1; k != 1000; k += n) { if (k % 2) continue; out[1]++; } //~ loops * `for (int k = 1; k != 1000; k += n) { if (k % 2) continue; out[1]++; }` did not end
}

kernel void locked(global int *out, int n)
{
    local int lock;
    lock = 1;
    while (atomic_cmpxchg(&lock, n, 1) != 0); //~ loops * `while (atomic_cmpxchg(&lock, n, 1) != 0);` did not end
    out[get_global_id(0)] = lock;
}

kernel void listed(global int *out, int n)
{
    int next[4] = { 2, 0, 3, 2 }, steps = 0;
    for (int at = n; at != 1; at = next[at]) steps++; //~ loops 1 `for (int at = n; at != 1; at = next[at]) steps++;` did not end
    out[0] = steps;
}

kernel void switched(global int *out, int n)
{
    do { switch (n) { case 0: n = 1; break; case 1: n = 0; break; default: n = -1; } } while (n >= 0); //~ loops 1 `do { switch (n) { case 0: n = 1; break; case 1: n = 0; break; default: n = -1; } } while (n >= 0);` did not end
    out[0] = n;
}

kernel void fine(global int *out, int n)
{
    int sum = 0, k = 0;
    for (int j = 0; j < n; j++)
        for (int l = 0; l < 20; l++)
            sum += l;
    while (k < n)
        k++;
    do
        k--;
    while (k > 0);
    out[get_global_id(0)] = sum + k;
}
