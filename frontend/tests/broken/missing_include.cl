//# a header that does not exist
#include "common/vectors.cl"

kernel void f(global particle_t *particles, float dt) {
    particle_t p = particles[get_global_id(0)];
    p.position = advance(p.position, p.velocity, dt, GRAVITY);
    particles[get_global_id(0)] = p;
}
