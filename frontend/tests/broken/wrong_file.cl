//# Rust
//! Rust source that was named by mistake.
use std::collections::HashMap;

#[derive(Debug, Clone)]
pub struct Particle<'a> {
    name: &'a str,
    mass: f32,
}

impl<'a> Particle<'a> {
    pub fn new(name: &'a str, mass: f32) -> Self {
        assert!(mass > 0.0, "mass of {name} must be positive");
        Particle { name, mass }
    }

    fn kinetic(&self, speed: f32) -> f32 {
        0.5 * self.mass * speed * speed
    }
}

fn main() {
    let mut by_name: HashMap<String, Particle> = HashMap::new();
    for (index, name) in ["a", "b"].iter().enumerate() {
        by_name.insert(name.to_string(), Particle::new(name, index as f32 + 1.0));
    }
    match by_name.get("a") {
        Some(particle) => println!("{}", particle.kinetic(2.0)),
        None => eprintln!("nothing"),
    }
}
