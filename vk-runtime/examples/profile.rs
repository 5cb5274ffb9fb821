//! Prints the profile of a device as JSON: `cargo run -p vk-runtime --example profile -- [DEVICE [NAME]]`.
//!
//! `NAME` replaces the device's name, for a preset in `translate/interface/profiles`.

use vk_runtime::{Instance, InstanceOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let instance = Instance::new(&InstanceOptions::default())?;
    let device = match arguments.next() {
        Some(query) => instance.select(&query)?,
        None => instance.default_device()?,
    };
    let mut profile = device.profile().ok_or("the device cannot be used")?.clone();
    if let Some(name) = arguments.next() {
        profile.name = name;
    }
    println!("{}", profile.to_json());
    Ok(())
}
