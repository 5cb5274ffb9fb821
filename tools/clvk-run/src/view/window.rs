//! The window of `clvk-run view`.
//!
//! Keys: Space pauses, `.` or the right arrow goes on by a frame, R starts again, S saves a picture, + and -
//! zoom at the mouse, 0 shows all, Escape or Q ends.

use super::overlay::Overlay;
use super::placement::Placement;
use super::scene::Scene;
use super::{ViewCommand, instance_options, job, open};
use crate::argument::Inputs;
use crate::console;
use crate::failure::{Failure, Result, Status};
use crate::file::picture::PictureFormat;
use crate::job::Job;
use crate::watch;
use clvk::Device;
use clvk::runtime::{Instance, Layer, Presenter, PresenterOptions, Surface, ValidationMessage, WindowSystem};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{ElementState, KeyEvent, MouseButton, MouseScrollDelta, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::keyboard::{Key, NamedKey};
use winit::window::{Window, WindowAttributes, WindowId};

/// How often the title is written anew.
const TITLE_EVERY: Duration = Duration::from_millis(500);

/// Shows a job in a window until that is closed; returns the messages of the validation layer.
pub fn show(command: &ViewCommand, job: Job, build_options: &[String]) -> Result<Vec<ValidationMessage>> {
    // The library's own text has places in its source.
    let events = EventLoop::<Changed>::with_user_event().build().map_err(|_| {
        Failure::new(
            Status::Device,
            "there is no display to open a window on (by DISPLAY or WAYLAND_DISPLAY); `--frames N --save FILE.apng` \
             writes the frames to a file instead",
        )
    })?;
    let instance = Instance::new(&instance_options(command, WindowSystem::of(&events)))?;
    let device = open(command, &job, &instance, true)?;
    let proxy = events.create_proxy();
    // The watcher ends with this function.
    let _watcher = watch::on_change(&command.file, &job.inputs(), build_options, move || {
        let _ = proxy.send_event(Changed); // The window is closed.
    })?;
    let scene = Scene::new(&device, job, command.size, command.show.as_deref())?;
    let mut application = Application {
        command,
        build_options,
        instance: instance.clone(),
        device,
        scene,
        view: None,
        inputs: Inputs::default(),
        clock: Clock::new(),
        placement: Placement::default(),
        cursor: [0.0; 2],
        error: None,
        failure: None,
    };
    let ended = events.run_app(&mut application);
    let Application { view, scene, failure, .. } = application;
    drop(view); // Before the scene, whose pictures it may still show.
    drop(scene);
    ended.map_err(|error| Failure::new(Status::Device, format!("the window system failed: {error}")))?;
    match failure {
        Some(failure) => Err(failure),
        None => Ok(instance.take_validation_messages()),
    }
}

/// A file has changed.
struct Changed;

/// The window and what is drawn in it.
struct View {
    presenter: Presenter,
    overlay: Option<Overlay>,
    window: Arc<Window>,
}

struct Application<'a> {
    command: &'a ViewCommand,
    build_options: &'a [String],
    instance: Instance,
    device: Device,
    scene: Scene,
    view: Option<View>,
    inputs: Inputs,
    clock: Clock,
    placement: Placement,
    /// Place of the mouse in the window.
    cursor: [f64; 2],
    /// What is wrong with the files as they are now.
    error: Option<String>,
    /// Why the window closes.
    failure: Option<Failure>,
}

impl ApplicationHandler<Changed> for Application<'_> {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        if self.view.is_none()
            && let Err(failure) = self.open(events)
        {
            self.fail(events, failure);
        }
    }

    fn user_event(&mut self, events: &ActiveEventLoop, _: Changed) {
        if let Err(failure) = self.reload() {
            self.fail(events, failure);
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let result = match event {
            WindowEvent::CloseRequested => {
                events.exit();
                Ok(())
            }
            WindowEvent::Resized(size) => self.resize([size.width, size.height]),
            WindowEvent::RedrawRequested => self.redraw(events),
            WindowEvent::KeyboardInput { event, .. } if event.state == ElementState::Pressed => {
                self.key(events, &event)
            }
            WindowEvent::CursorMoved { position, .. } => {
                self.cursor = [position.x, position.y];
                self.follow_cursor();
                Ok(())
            }
            WindowEvent::MouseInput { state, button, .. } => {
                self.button(state == ElementState::Pressed, button);
                Ok(())
            }
            WindowEvent::MouseWheel { delta, .. } => {
                self.inputs.mouse[3] += match delta {
                    MouseScrollDelta::LineDelta(_, lines) => f64::from(lines),
                    MouseScrollDelta::PixelDelta(pixels) => pixels.y / 20.0,
                };
                Ok(())
            }
            _ => Ok(()),
        };
        if let Err(failure) = result {
            self.fail(events, failure);
        }
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        let Some(view) = &self.view else { return };
        // Nothing is drawn while the window is minimised or the picture stands still.
        let minimised = view.presenter.size() == [0; 2];
        let idle = minimised || self.clock.paused && !self.clock.wants_step;
        events.set_control_flow(if idle { ControlFlow::Wait } else { ControlFlow::Poll });
        if !idle {
            view.window.request_redraw();
        }
    }
}

/// The window with the name by which window managers know the application.
#[cfg(target_os = "linux")]
fn named(attributes: WindowAttributes) -> WindowAttributes {
    use winit::platform::wayland::WindowAttributesExtWayland;
    use winit::platform::x11::WindowAttributesExtX11;
    let attributes = WindowAttributesExtX11::with_name(attributes, "clvk-run", "clvk-run");
    WindowAttributesExtWayland::with_name(attributes, "clvk-run", "")
}

#[cfg(not(target_os = "linux"))]
fn named(attributes: WindowAttributes) -> WindowAttributes {
    attributes
}

impl Application<'_> {
    fn open(&mut self, events: &ActiveEventLoop) -> Result<()> {
        let [width, height] = self.command.size;
        let attributes = Window::default_attributes()
            .with_title(self.title())
            .with_inner_size(PhysicalSize::new(width, height));
        let attributes = named(attributes);
        let window = events
            .create_window(attributes)
            .map_err(|error| Failure::new(Status::Device, format!("cannot open a window: {error}")))?;
        let window = Arc::new(window);
        let size = window.inner_size();
        let surface = Surface::new(&self.instance, Arc::clone(&window))?;
        let options =
            PresenterOptions { wait_for_screen: !self.command.no_vsync, ..PresenterOptions::default() };
        let presenter = Presenter::new(&self.device, surface, [size.width, size.height], &options)?;
        let size = presenter.size();
        self.view = Some(View { presenter, overlay: None, window });
        if !size.contains(&0) {
            self.scene.resize(size)?;
        }
        Ok(())
    }

    fn fail(&mut self, events: &ActiveEventLoop, failure: Failure) {
        self.failure.get_or_insert(failure);
        events.exit();
    }

    fn resize(&mut self, size: [u32; 2]) -> Result<()> {
        let Some(view) = &mut self.view else { return Ok(()) };
        view.presenter.resize(size)?;
        let size = view.presenter.size();
        if size.contains(&0) {
            return Ok(());
        }
        self.scene.resize(size)?;
        self.draw_error()?;
        self.clock.wants_step |= self.clock.paused;
        Ok(())
    }

    /// Draws a frame and shows it.
    fn redraw(&mut self, events: &ActiveEventLoop) -> Result<()> {
        let window = match &self.view {
            Some(view) if view.presenter.size() != [0; 2] => view.presenter.size(),
            _ => return Ok(()),
        };
        if self.clock.advance(&mut self.inputs) {
            self.follow_cursor();
            self.scene.draw(&self.inputs)?;
        }
        let picture = self.scene.size();
        let smooth = !self.placement.enlarges(picture, window);
        let rectangles = self.placement.rectangles(picture, window);
        let Some(view) = &mut self.view else { return Ok(()) };
        let image = self.scene.image();
        let mut layers: Vec<Layer<'_>> =
            rectangles.into_iter().map(|(from, to)| Layer { image, from, to, smooth }).collect();
        if let Some(overlay) = &view.overlay
            && let Some((from, to)) = overlay.rectangles(window)
        {
            layers.push(Layer { image: overlay.image(), from, to, smooth: false });
        }
        view.presenter.present(&layers)?;
        let shown = view.presenter.size();
        if shown != window && !shown.contains(&0) {
            self.scene.resize(shown)?;
        }
        if self.clock.title_is_due()
            && let Some(view) = &self.view
        {
            view.window.set_title(&self.title());
        }
        if self.command.frames.is_some_and(|frames| self.inputs.frame >= u64::from(frames)) {
            events.exit();
        }
        Ok(())
    }

    /// Reads the files again; what is wrong with them is shown over the picture.
    fn reload(&mut self) -> Result<()> {
        let size = self.view.as_ref().map_or([0; 2], |view| view.presenter.size());
        let size = if size.contains(&0) { self.command.size } else { size };
        let job = job(self.command, self.build_options);
        let replaced = job.and_then(|job| self.scene.replace(job, size, self.command.show.as_deref()));
        self.error = replaced.err().map(|failure| failure.text());
        if let Some(error) = &self.error {
            console::tell(format!("{error}\n"));
        }
        self.clock.wants_step |= self.clock.paused;
        self.draw_error()
    }

    fn draw_error(&mut self) -> Result<()> {
        let Some(view) = &mut self.view else { return Ok(()) };
        view.overlay = match &self.error {
            Some(error) => Overlay::new(&self.device, error, view.presenter.size())?,
            None => None,
        };
        Ok(())
    }

    fn key(&mut self, events: &ActiveEventLoop, event: &KeyEvent) -> Result<()> {
        match event.logical_key.as_ref() {
            Key::Named(NamedKey::Escape) => events.exit(),
            Key::Named(NamedKey::Space) => self.clock.pause(),
            Key::Named(NamedKey::ArrowRight) => self.clock.step(),
            Key::Character(text) => match text {
                "q" | "Q" => events.exit(),
                "." => self.clock.step(),
                "r" | "R" => {
                    self.scene.reset()?;
                    self.inputs = Inputs { mouse: self.inputs.mouse, ..Inputs::default() };
                    self.clock.restart();
                }
                "s" | "S" if !event.repeat => self.save()?,
                "+" | "=" => self.zoom(1.25),
                "-" => self.zoom(0.8),
                "0" => {
                    self.placement = Placement::default();
                    self.clock.wants_step |= self.clock.paused;
                }
                _ => {}
            },
            _ => {}
        }
        if let Some(view) = &self.view {
            view.window.set_title(&self.title());
        }
        Ok(())
    }

    fn zoom(&mut self, factor: f64) {
        let Some(view) = &self.view else { return };
        self.placement.zoom(factor, self.cursor, self.scene.size(), view.presenter.size());
        view.window.request_redraw();
    }

    fn follow_cursor(&mut self) {
        let Some(view) = &self.view else { return };
        let picture = self.scene.size();
        let at = self.placement.place_in_picture(self.cursor, picture, view.presenter.size());
        for axis in 0..2 {
            self.inputs.mouse[axis] = at[axis].clamp(0.0, f64::from(picture[axis].max(1) - 1));
        }
    }

    fn button(&mut self, is_pressed: bool, button: MouseButton) {
        let bit = match button {
            MouseButton::Left => 1,
            MouseButton::Right => 2,
            MouseButton::Middle => 4,
            _ => return,
        };
        let buttons = self.inputs.mouse[2] as u32;
        self.inputs.mouse[2] = f64::from(if is_pressed { buttons | bit } else { buttons & !bit });
    }

    /// Saves the picture beside the source, under a name that is not taken.
    fn save(&mut self) -> Result<()> {
        let stem = self.command.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let named = |number: u32| PathBuf::from(format!("{stem}-{number}.png"));
        let path = (1..).map(named).find(|path| !path.exists()).expect("there are enough numbers");
        let png = PictureFormat::of_ending("png").expect("PNG is known");
        // A full disk does not end the animation.
        match self.scene.picture().and_then(|picture| picture.save(&path, png)) {
            Ok(()) => console::tell(format!("wrote {}\n", path.display())),
            Err(failure) => console::warn(failure.text()),
        }
        Ok(())
    }

    fn title(&self) -> String {
        let name = self.command.file.file_name().unwrap_or_default().to_string_lossy();
        let [width, height] = self.scene.size();
        let mut title = format!("{name}: {width}x{height}");
        if let Some(rate) = self.clock.rate {
            title += &format!(", {rate:.1} frames/s");
        }
        if let Some(time) = self.scene.kernel_ns() {
            title += &format!(", kernels {:.3} ms", time as f64 / 1e6);
        }
        if self.clock.paused {
            title += ", paused";
        }
        title + " - clvk-run view"
    }
}

/// The time of the frames.
struct Clock {
    paused: bool,
    /// Whether one more frame is wanted.
    wants_step: bool,
    last: Instant,
    /// Frames since the title was written, and when that was.
    counted: (u32, Instant),
    /// Frames a second.
    rate: Option<f64>,
    started: bool,
}

impl Clock {
    fn new() -> Self {
        let now = Instant::now();
        Clock { paused: false, wants_step: false, last: now, counted: (0, now), rate: None, started: false }
    }

    /// Goes on to the next frame, if it is time for one.
    fn advance(&mut self, inputs: &mut Inputs) -> bool {
        let now = Instant::now();
        let passed = now - self.last;
        self.last = now;
        if self.paused && !self.wants_step {
            return false;
        }
        if self.started {
            // A step is the frame of a screen.
            inputs.time += if self.paused { 1.0 / 60.0 } else { passed.as_secs_f64() };
            inputs.frame += 1;
        }
        self.started = true;
        self.wants_step = false;
        self.counted.0 += 1;
        true
    }

    fn pause(&mut self) {
        self.paused = !self.paused;
        self.last = Instant::now();
    }

    fn step(&mut self) {
        self.paused = true;
        self.wants_step = true;
    }

    fn restart(&mut self) {
        self.started = false;
        self.wants_step = true;
    }

    /// Whether the title is to be written; counts the frames since the last time.
    fn title_is_due(&mut self) -> bool {
        let (frames, since) = self.counted;
        let passed = since.elapsed();
        if passed < TITLE_EVERY {
            return false;
        }
        self.rate = (!self.paused).then(|| f64::from(frames) / passed.as_secs_f64());
        self.counted = (0, Instant::now());
        true
    }
}
