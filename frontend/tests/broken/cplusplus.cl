//# C++
template <typename T>
T square(T x) { return x * x; }

class accumulator {
public:
    float total;
    void add(float x) { total += x; }
};

void increment(int &x) { x++; }

kernel void f(global float *y) {
    auto i = get_global_id(0);
    y[i] = std::max(y[i], 0.0f);
    int n = static_cast<int>(y[i]);
    bool done = nullptr;
    for (auto x : y) { }
}
