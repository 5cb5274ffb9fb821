//! A process that runs programs, restarted when it dies or takes too long.

use super::protocol::{Answer, READY, Request};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How to start a process that speaks the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executor {
    /// Its name in reports.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Environment variables to set.
    pub environment: Vec<(String, String)>,
    /// How long a program may take.
    pub timeout: Duration,
}

/// What happened to a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The process answered.
    Answered(Answer),
    /// The process ended without an answer.
    Crashed(String),
    /// There was no answer in time.
    TimedOut,
}

/// An executor with its process.
#[derive(Debug)]
pub struct Runner {
    executor: Executor,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
    /// Whether it has reported that it is ready for programs.
    ready: bool,
}

/// The time that an executor may take to find its device: some seconds beside many others that do the same.
/// It does not count as the time of a program.
const STARTUP: Duration = Duration::from_secs(120);

impl Runner {
    /// A runner whose process is started with the first program.
    #[must_use]
    pub fn new(executor: Executor) -> Self {
        Runner { executor, running: None }
    }

    /// Its name in reports.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.executor.name
    }

    /// Begins to run a program.
    ///
    /// # Errors
    /// A sentence, if no process can be started.
    pub fn send(&mut self, request: &Request) -> Result<(), String> {
        if self.running.is_none() {
            self.running = Some(start(&self.executor)?);
        }
        let line = serde_json::to_string(request).expect("a request is plain data");
        if let Some(running) = &mut self.running {
            // `receive` notices a process that has just died.
            let _ = writeln!(running.input, "{line}").and_then(|()| running.input.flush());
        }
        Ok(())
    }

    /// Waits for the outcome of the program sent last.
    pub fn receive(&mut self) -> Outcome {
        let line = match self.answer() {
            Ok(line) => line,
            Err(outcome) => return outcome,
        };
        match serde_json::from_str(&line) {
            Ok(answer) => {
                if matches!(answer, Answer::Failed(_)) {
                    // A lost device remains lost for its process.
                    self.stop();
                }
                Outcome::Answered(answer)
            }
            Err(error) => {
                self.stop();
                Outcome::Crashed(format!("answered `{line}`: {error}"))
            }
        }
    }

    /// The answer, as a line, to the program sent last.
    fn answer(&mut self) -> Result<String, Outcome> {
        if self.running.as_ref().is_some_and(|running| !running.ready) {
            let first = self.line(STARTUP)?;
            if first != READY {
                self.stop();
                return Err(Outcome::Crashed(format!("began with `{first}`, not with `{READY}`")));
            }
        }
        if let Some(running) = &mut self.running {
            running.ready = true;
        }
        self.line(self.executor.timeout)
    }

    /// The next line that the process writes.
    fn line(&mut self, limit: Duration) -> Result<String, Outcome> {
        let Some(running) = &mut self.running else { return Err(Outcome::Crashed("no process".to_owned())) };
        match running.answers.recv_timeout(limit) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => {
                self.stop();
                Err(Outcome::TimedOut)
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status =
                    running.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
                self.running = None;
                Err(Outcome::Crashed(status))
            }
        }
    }

    fn stop(&mut self) {
        if let Some(mut running) = self.running.take() {
            // It may have ended by itself.
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.stop();
    }
}

fn start(executor: &Executor) -> Result<Running, String> {
    let (program, arguments) = executor.command.split_first().ok_or("an executor needs a command")?;
    let mut child = Command::new(program)
        .args(arguments)
        .envs(executor.environment.iter().cloned())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start `{program}`: {error}"))?;
    let input = child.stdin.take().expect("piped");
    let output = BufReader::new(child.stdout.take().expect("piped"));
    let (sender, answers) = channel();
    std::thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    Ok(Running { child, input, answers, ready: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(script: &str) -> Outcome {
        let command = ["sh", "-c", script].map(str::to_owned).to_vec();
        let timeout = Duration::from_millis(500);
        let mut runner =
            Runner::new(Executor { name: "test".to_owned(), command, environment: Vec::new(), timeout });
        let request = Request {
            source: String::new(),
            options: Vec::new(),
            global: vec![1],
            local: vec![1],
            arguments: Vec::new(),
            generic: false,
        };
        runner.send(&request).expect("there is a shell");
        runner.receive()
    }

    #[test]
    fn answers_deaths_and_hangs_are_told_apart() {
        let answer = Answer::Outputs(vec!["00ff".to_owned()]);
        let answers = r#"echo ready; read line; echo '{"outputs":["00ff"]}'"#;
        assert_eq!(outcome(answers), Outcome::Answered(answer.clone()));
        assert_eq!(outcome(&format!("sleep 1; {answers}")), Outcome::Answered(answer), "a slow start");
        assert!(matches!(outcome("exit 3"), Outcome::Crashed(status) if status.contains('3')));
        assert!(matches!(outcome("echo ready; exit 3"), Outcome::Crashed(status) if status.contains('3')));
        assert!(
            matches!(outcome("echo hello; exec sleep 60"), Outcome::Crashed(why) if why.contains("hello"))
        );
        assert_eq!(outcome("echo ready; exec sleep 60"), Outcome::TimedOut);
    }
}
