//! A real nginx, with configurations of its own. Without nginx the tests print that they are skipped.

use std::fs;
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::program::free_address;
use crate::pty::wait_until;
use crate::serve::{HttpAnswer, http_get};

/// Name of the configuration of the cache, in `config/examples`.
const CACHE_EXAMPLE: &str = include_str!("../../config/examples/nginx-cache.conf");

/// A running nginx. Dropping it stops it.
pub struct Nginx {
    process: Child,
    program: &'static str,
    pub address: String,
    folder: tempfile::TempDir,
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // The master process ends its workers on SIGTERM only.
        let _ = kill_process(Pid::from_child(&self.process), Signal::TERM);
        let _ = self.process.wait();
    }
}

/// Starts nginx as the first of a group of processes.
fn spawn(program: &str, folder: &Path) -> Child {
    let mut command = Command::new(program);
    command.arg("-p").arg(folder).arg("-c").arg(folder.join("nginx.conf")).process_group(0);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

impl Nginx {
    /// Starts nginx with this content of its block `http`, which gets an address of this machine. Returns `None`, and prints that,
    /// if nginx is not installed.
    pub fn start(http: impl FnOnce(&str, &Path) -> String) -> Option<Nginx> {
        let program = ["/usr/sbin/nginx", "/usr/bin/nginx"].into_iter().find(|program| Path::new(program).exists());
        let Some(program) = program else {
            println!("nginx is not installed: the cache is NOT tried");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let address = free_address();
        let (at, http) = (folder.path().display(), http(&address, folder.path()));
        let user = if rustix::process::geteuid().is_root() { "user root;" } else { "" };
        let config = format!(
            "{user} daemon off; worker_processes 1; pid {at}/pid; error_log {at}/error.log;\n\
             events {{ worker_connections 512; }}\n\
             http {{ log_format asked '$request_uri $status $upstream_cache_status $upstream_response_time';\n\
             access_log {at}/access.log asked; client_body_temp_path {at}/body; proxy_temp_path {at}/proxy;\n\
             fastcgi_temp_path {at}/fastcgi; uwsgi_temp_path {at}/uwsgi; scgi_temp_path {at}/scgi;\n{http}\n}}\n"
        );
        fs::write(folder.path().join("nginx.conf"), config).unwrap();
        let process = spawn(program, folder.path());
        let nginx = Nginx { process, program, address, folder };
        nginx.wait_until_ready();
        Some(nginx)
    }

    fn wait_until_ready(&self) {
        wait_until("nginx", || TcpStream::connect(&self.address).is_ok());
    }

    /// Kills nginx with its workers.
    pub fn kill(&mut self) {
        kill_process_group(Pid::from_child(&self.process), Signal::KILL).unwrap();
        self.process.wait().unwrap();
    }

    /// Starts nginx again after [`Nginx::kill`], at the same address.
    pub fn restart(&mut self) {
        self.process = spawn(self.program, self.folder.path());
        self.wait_until_ready();
    }

    /// Starts nginx with the example of a cache in front of a server.
    pub fn cache_of(server: &str) -> Option<Nginx> {
        Nginx::start(|address, folder| {
            let mut config = CACHE_EXAMPLE.to_owned();
            for (from, to) in [
                ("    listen [::]:80;\n", ""),
                ("listen 80;", &format!("listen {address};")),
                ("http://127.0.0.1:8080", &format!("http://{server}")),
                ("/var/cache/nginx/damcast", &folder.join("cache").display().to_string()),
            ] {
                assert!(config.contains(from), "{from}");
                config = config.replace(from, to);
            }
            config
        })
    }

    pub fn get(&self, path: &str, headers: &[(&str, &str)]) -> HttpAnswer {
        http_get(&self.address, "GET", path, headers).unwrap()
    }

    /// Returns the lines of the access log: address, status, state of the cache, and the time that the server took.
    pub fn log(&self) -> Vec<String> {
        let text = fs::read_to_string(self.folder.path().join("access.log")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}
