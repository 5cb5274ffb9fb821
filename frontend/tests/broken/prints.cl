//# wrong formats of `printf`
kernel void f(global int *y, float4 v, int2 w, global char *name) {
    printf("%d %f\n", v.x, w.x);
    printf("%v4f\n", v);
    printf("%v2d %v4hlf\n", v, w);
    printf("%s\n", y);
    printf("%d %d\n", y[0]);
    printf("%d\n", y[0], y[1]);
    printf("%n\n", y);
    printf("%z\n", y[0]);
    printf(y);
    fprintf(stderr, "%d", y[0]);
}
