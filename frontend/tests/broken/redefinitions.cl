//# names that are defined twice
#define SIZE 16
#define SIZE 32

int id(int x) { return x; }
float id(int x) { return x; }

struct pixel { uchar r, g, b; };
struct pixel { float r, g, b; };

kernel void f(global int *y, int n) {
    int n = 4;
    float total = 0.0f;
    int total = 0;
    y[0] = n + total;
}

kernel void f(global int *y) {
    y[0] = SIZE;
}
