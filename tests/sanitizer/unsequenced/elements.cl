//! buffer a: int = 0..64
//! buffer b: int = 0..64
//! launch: increments(a, b, int 3) global 4
//! launch: targets(a, b, int 3) global 4
//! launch: arguments(a, b, int 3) global 4
//! launch: members(a, b, int 1) global 1
//! launch: lanes(a, b, int 1) global 1
//! launch: choices(a, b, int 3) global 4
//! launch: locals(a, b, int 3) global 4 local 4
//! launch: pointers(a, b, int 4) global 1
//! launch: fine(a, b, int 3) global 4

kernel void increments(global int *a, global int *b, int n)
{
    int i = get_global_id(0);
    a[8 * i] = a[8 * i + (i & n)]++; //~ unsequenced 1 `a[8 * i] = a[8 * i + (i & n)]++` multiple unsequenced modifications of byte 0 of the argument `a` (0)
    b[i] = a[8 * i + 4]++ + a[8 * i + 4 + i / 2]; //~ unsequenced 2 `a[8 * i + 4]++ + a[8 * i + 4 + i / 2]` unsequenced modification and access of byte
    b[i + 8] = a[8 * i]-- - --a[8 * i + i % 2]; //~ unsequenced 2 `a[8 * i]-- - --a[8 * i + i % 2]` multiple unsequenced modifications of byte
}

kernel void targets(global int *a, global int *b, int n)
{
    int i = get_global_id(0);
    a[8 * i] += a[8 * i + i]++; //~ unsequenced 1 `a[8 * i] += a[8 * i + i]++` unsequenced modification and access of byte
    a[8 * i + (a[8 * i + 1] = 1)] = 2; //~ unsequenced 4 `a[8 * i + (a[8 * i + 1] = 1)] = 2` multiple unsequenced modifications of byte
    *(a + 8 * i) = (*(a + 8 * i + n / 4) = 5); //~ unsequenced 4 `*(a + 8 * i) = (*(a + 8 * i + n / 4) = 5)` multiple unsequenced modifications of byte
}

int sum(int a, int b)
{
    return a + b;
}

int taken(global int *p, int i)
{
    return p[0] + p[i]++; //~ unsequenced 1 `p[0] + p[i]++` unsequenced modification and access of byte 0 of the argument `a` (0)
}

kernel void arguments(global int *a, global int *b, int n)
{
    int i = get_global_id(0);
    b[i] = sum(a[8 * i]++, a[8 * i + i / 3]); //~ unsequenced 3 `sum(a[8 * i]++, a[8 * i + i / 3])` unsequenced modification and access of byte
    b[i] = max(a[8 * i] = 3, a[8 * i] = 4); //~ unsequenced 4 `max(a[8 * i] = 3, a[8 * i] = 4)` multiple unsequenced modifications of byte
    b[i] = taken(a + 8 * i, i);
}

struct pair {
    int first, second;
};

kernel void members(global int *a, global int *b, int n)
{
    global struct pair *p = (global struct pair *)a;
    p[n].first = p[1].first++; //~ unsequenced 1 `p[n].first = p[1].first++` multiple unsequenced modifications of byte 8
    p->second = (p + n - 1)->second++ + 1; //~ unsequenced 1 `p->second = (p + n - 1)->second++ + 1` of byte 4
    struct pair s[2] = { { 1, 2 }, { 3, 4 } };
    s[n].first = s[1].second++;
    s[n].first = s[1].first++; //~ unsequenced 1 `s[n].first = s[1].first++` multiple unsequenced modifications of byte 8 of the variable `s`
    b[0] = s[1].first + s[1].second;
}

kernel void lanes(global int *a, global int *b, int n)
{
    global int4 *v = (global int4 *)a;
    v[n].x = v[1].y++;
    v[n].x = v[1].x++; //~ unsequenced 1 `v[n].x = v[1].x++` of byte 16
    v[n] = v[1].w++ + v[0]; //~ unsequenced 1 `v[n] = v[1].w++ + v[0]` multiple unsequenced modifications of byte 16
    v[n].zw = v[1].x++ + v[0].xy;
}

kernel void choices(global int *a, global int *b, int n)
{
    int i = get_global_id(0);
    b[i] = a[8 * i]++ + (i > 1 ? a[8 * i] : 0); //~ unsequenced 2 `a[8 * i]++ + (i > 1 ? a[8 * i] : 0)` unsequenced modification and access of byte
    b[i] = (a[8 * i] = i) && (a[8 * i] = 3);
    b[i] = i ? a[8 * i]++ : a[8 * i]--;
}

kernel void locals(global int *a, global int *b, int n)
{
    local int part[8];
    int own[4] = { 1, 2, 3, 4 };
    int i = get_local_id(0);
    part[2 * i] = i;
    part[2 * i + 1] = i;
    part[2 * i] = part[2 * i + i / 3]++; //~ unsequenced 3 `part[2 * i] = part[2 * i + i / 3]++` of the local variable `locals.part`
    own[n] = own[i]++; //~ unsequenced 1 `own[n] = own[i]++` multiple unsequenced modifications of byte 12 of the variable `own`
    b[i] = part[2 * i] + own[0];
}

kernel void pointers(global int *a, global int *b, int n)
{
    global int *p = n > 3 ? a : b, *q = n > 4 ? b : a;
    *p = (*q)++; //~ unsequenced 1 `*p = (*q)++` multiple unsequenced modifications of byte 0 of the argument `a` (0)
    *(global char *)q = p[0]++; //~ unsequenced 1 `*(global char *)q = p[0]++` of byte 0
    ((global char *)q)[4] = p[0]++;
}

kernel void fine(global int *a, global int *b, int n)
{
    int i = get_global_id(0);
    a[8 * i] = a[8 * i] + 1;
    a[8 * i] = a[8 * i + 1]++;
    b[i] = a[8 * i]++ + b[i];
    b[i] = (a[8 * i]++, a[8 * i]);
    b[i] = sum((a[8 * i]++, 1), 2) + a[8 * i + 1];
    a[8 * i + a[8 * i + 1] % 2] += 1;
    atomic_add(a + 8 * i, atomic_inc(a + 8 * i));
    int c[2] = { a[8 * i]++, a[8 * i] };
    b[i] = c[0] + c[1];
}
