//# misspelt members, and `.` for `->`
typedef struct {
    float3 position;
    float3 velocity;
    float mass;
} particle;

kernel void step(global particle *particles, float dt) {
    global particle *p = &particles[get_global_id(0)];
    p->postion += p->velocity * dt;
    p.mass *= 0.5f;
    particles[0]->mass = 1.0f;
    p->charge = 1.0f;
}
