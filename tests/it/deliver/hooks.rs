//! The commands that the package has, against real servers: a connection that is cut or slow, a wrong password, a full disk. A reader
//! that polls meanwhile gets whole files only.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use super::Place;
use crate::program::{assert_contains, free_address, free_port};
use crate::pty::wait_until;

/// Length of a file, so long that a transfer can be cut.
const FILE_LEN: usize = 1_500_000;
/// Number of bytes after which a transfer is cut.
const CUT: i64 = 400_000;
/// Time that a slow line takes for 16 kB.
const SLOW: Duration = Duration::from_millis(5);

/// Returns a path of the checkout.
fn hook(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/deliver").join(name).display().to_string()
}

/// Whether all these programs are here; prints those that are missing.
pub fn has_programs(names: &[&str]) -> bool {
    let is_here = |name: &str| {
        ["/usr/sbin", "/usr/bin", "/usr/local/bin"].iter().any(|folder| Path::new(folder).join(name).exists())
    };
    let missing: Vec<&str> = names.iter().copied().filter(|name| !is_here(name)).collect();
    if !missing.is_empty() {
        println!("missing {missing:?}: this delivery is NOT tried");
    }
    missing.is_empty()
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn version(letter: u8) -> Vec<u8> {
    vec![letter; FILE_LEN]
}

/// A server that ends with the test.
struct Service(Child);

impl Service {
    fn start(command: &mut Command, address: &str) -> Service {
        let service =
            Service(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        wait_until("the server", || TcpStream::connect(address).is_ok());
        service
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// File system of its own, of one megabyte, under a path; the disk of a server that is full.
struct SmallDisk<'p>(&'p Path);

impl SmallDisk<'_> {
    fn mount(path: &Path) -> Option<SmallDisk<'_>> {
        fs::create_dir_all(path).unwrap();
        let mount = ["-t", "tmpfs", "-o", "size=1m,mode=777", "none"];
        let mounted = Command::new("mount").args(mount).arg(path).output().is_ok_and(|output| output.status.success());
        if !mounted {
            println!("nothing can be mounted here: a full disk is NOT tried");
        }
        mounted.then_some(SmallDisk(path))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0).status();
    }
}

/// Line to a server that can be slow or cut.
struct Way {
    address: SocketAddr,
    /// Bytes that may still pass to the server.
    budget: Arc<AtomicI64>,
    delay: Arc<AtomicU64>,
}

impl Way {
    /// Opens a way from one address to another.
    fn open(from: &str, to: String) -> Way {
        let listener = TcpListener::bind(from).unwrap();
        let way = Way {
            address: listener.local_addr().unwrap(),
            budget: Arc::new(AtomicI64::new(i64::MAX)),
            delay: Arc::default(),
        };
        let (budget, delay) = (way.budget.clone(), way.delay.clone());
        // The thread ends with the process of the tests.
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(&to) else { continue };
                let (answers, back) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                let (budget, delay, budget_of_answers) = (budget.clone(), delay.clone(), budget.clone());
                std::thread::spawn(move || pass(client, server, &budget, &delay));
                std::thread::spawn(move || pass_answers(answers, back, &budget_of_answers));
            }
        });
        way
    }

    fn slow(&self, delay: Duration) {
        self.delay.store(u64::try_from(delay.as_micros()).unwrap(), Ordering::SeqCst);
    }

    fn cut_after(&self, bytes: i64) {
        self.budget.store(bytes, Ordering::SeqCst);
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, budget: &AtomicI64, delay: &AtomicU64) {
    let mut buffer = vec![0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        std::thread::sleep(Duration::from_micros(delay.load(Ordering::SeqCst)));
        if budget.fetch_sub(i64::try_from(count).unwrap(), Ordering::SeqCst) < 0 {
            // Both ends see a broken connection. An orderly end would be the end of a file in FTP.
            for stream in [&from, &to] {
                let _ = socket2::SockRef::from(stream).set_linger(Some(Duration::ZERO));
                let _ = stream.shutdown(Shutdown::Read);
            }
            return;
        }
        if to.write_all(&buffer[..count]).is_err() {
            let _ = from.shutdown(Shutdown::Both);
            break;
        }
    }
    if budget.load(Ordering::SeqCst) >= 0 {
        let _ = to.shutdown(Shutdown::Write);
    }
}

/// Passes the answers of the server until the way is cut.
fn pass_answers(mut from: TcpStream, mut to: TcpStream, budget: &AtomicI64) {
    let mut buffer = vec![0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        if to.write_all(&buffer[..count]).is_err() {
            return;
        }
    }
    if budget.load(Ordering::SeqCst) >= 0 {
        let _ = to.shutdown(Shutdown::Write);
    }
}

/// Target of a delivery, as its readers see it.
struct Target<'t> {
    place: &'t Place,
    delivery: &'t str,
    /// Ways that all bytes to the server take.
    ways: &'t [&'t Way],
    read: &'t (dyn Fn(&str) -> Option<Vec<u8>> + Sync),
    /// Whether a file is replaced in one step; otherwise it may be missing for a moment.
    is_atomic: bool,
}

impl Target<'_> {
    fn assert_version(&self, letter: u8) {
        let content = (self.read)("games.pdn").expect("the file is there");
        let found = content.first().map(|first| *first as char);
        assert!(content == version(letter), "{found:?} with {} bytes, not version {}", content.len(), letter as char);
    }

    /// Polls the file while `work` runs: every answer is a whole file.
    fn poll_during(&self, work: impl FnOnce()) {
        let is_over = AtomicBool::new(false);
        let count = AtomicU64::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::SeqCst) {
                    let Some(content) = (self.read)("games.pdn") else {
                        assert!(!self.is_atomic, "the file is missing");
                        continue;
                    };
                    let is_whole = content.len() == FILE_LEN && content.iter().all(|byte| *byte == content[0]);
                    assert!(is_whole, "{} bytes of a file of {FILE_LEN}", content.len());
                    count.fetch_add(1, Ordering::SeqCst);
                }
            });
            // A failure of the work must also end the poller.
            let worked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            is_over.store(true, Ordering::SeqCst);
            if let Err(failure) = worked {
                std::panic::resume_unwind(failure);
            }
        });
        assert!(count.load(Ordering::SeqCst) > 3, "the file was hardly read");
    }

    /// Delivers new, changed and removed files over good, slow and cut ways.
    fn assert_delivers_whole_files(&self) {
        let Target { place, delivery, ways, read, .. } = self;
        place.publish("games.pdn", version(b'1'));
        fs::create_dir_all(place.path("recordings/public/round/1")).unwrap();
        place.publish("round/1/games.pdn", "x");
        place.publish("archive/a b.pdn", "y");
        place.once(delivery).done();
        self.assert_version(b'1');
        assert_eq!((read("round/1/games.pdn"), read("archive/a b.pdn")), (Some(b"x".to_vec()), Some(b"y".to_vec())));
        ways.iter().for_each(|way| way.slow(SLOW));
        self.poll_during(|| {
            place.publish("games.pdn", version(b'2'));
            place.once(delivery).done();
        });
        self.assert_version(b'2');
        ways.iter().for_each(|way| way.slow(Duration::ZERO));
        ways.iter().for_each(|way| way.cut_after(CUT));
        self.poll_during(|| {
            place.publish("games.pdn", version(b'3'));
            place.once(delivery).fails(1, &format!("delivery {delivery}: it ended with"));
        });
        self.assert_version(b'2');
        ways.iter().for_each(|way| way.cut_after(i64::MAX));
        fs::remove_file(place.path("recordings/public/archive/a b.pdn")).unwrap();
        self.poll_during(|| drop(place.once(delivery).done()));
        self.assert_version(b'3');
        assert_eq!((read("archive/a b.pdn"), read("round/1/games.pdn")), (None, Some(b"x".to_vec())));
    }
}

/// Delivers a file for which the disk of the server has no room: the delivery fails, and readers have the last whole file, also meanwhile.
/// rclone may remove the file (`is_kept`).
fn assert_survives_full_disk(place: &Place, delivery: &str, is_kept: bool, read: impl Fn() -> Option<Vec<u8>> + Sync) {
    let assert_whole = || assert_eq!(read().as_deref().unwrap_or(if is_kept { b"" } else { b"whole" }), b"whole");
    assert!(read().is_some());
    place.publish("games.pdn", version(b'4'));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                assert_whole();
            }
        });
        let failed =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| place.once(delivery).fails(1, "it ended with")));
        is_over.store(true, Ordering::SeqCst);
        reader.join().unwrap();
        failed.unwrap();
    });
    assert_whole();
}

/// OpenSSH server with one user and a key.
pub struct SshServer {
    _service: Service,
    way: Way,
    pub user: String,
}

impl SshServer {
    /// Starts a server whose line of authorized keys begins with these options.
    pub fn start(place: &Place, options: &str) -> SshServer {
        if is_root() {
            fs::create_dir_all("/run/sshd").unwrap();
        }
        for key in ["host-key", "key", "other-key"] {
            let path = place.path(key);
            let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(path).status();
            assert!(made.unwrap().success());
        }
        let key = fs::read_to_string(place.path("key.pub")).unwrap();
        fs::write(place.path("authorized"), format!("{options}{key}")).unwrap();
        let port = free_port();
        let config = format!(
            "ListenAddress 127.0.0.1:{port}\nHostKey {0}/host-key\nAuthorizedKeysFile {0}/authorized\nStrictModes no\nUsePAM no\n\
             PidFile none\nPermitRootLogin yes\nPasswordAuthentication no\nSubsystem sftp internal-sftp\n",
            place.path("").display()
        );
        fs::write(place.path("sshd_config"), config).unwrap();
        let mut command = Command::new("/usr/sbin/sshd");
        command.args(["-D", "-f"]).arg(place.path("sshd_config"));
        let address = format!("127.0.0.1:{port}");
        let service = Service::start(&mut command, &address);
        let way = Way::open("127.0.0.1:0", address);
        let host_key = fs::read_to_string(place.path("host-key.pub")).unwrap();
        fs::write(place.path("known"), format!("[127.0.0.1]:{} {host_key}", way.address.port())).unwrap();
        let user = String::from_utf8(Command::new("id").arg("-un").output().unwrap().stdout).unwrap().trim().to_owned();
        SshServer { _service: service, way, user }
    }

    /// Returns the options of ssh for a key.
    pub fn options(&self, place: &Place, key: &str) -> Vec<String> {
        let known = format!("UserKnownHostsFile={}", place.path("known").display());
        let key = place.path(key).display().to_string();
        let port = self.way.address.port().to_string();
        ["-F", "none", "-p", &port, "-i", &key, "-o", "IdentitiesOnly=yes", "-o", &known].map(str::to_owned).to_vec()
    }
}

#[test]
fn rsync_over_ssh() {
    if !has_programs(&["rsync", "sshd", "ssh"]) {
        return;
    }
    let place = Place::new();
    let server = SshServer::start(&place, "");
    let add = |name: &str, key: &str, folder: &Path| {
        let target = format!("{}@127.0.0.1:{}/", server.user, folder.display());
        let options = server.options(&place, key);
        let program = hook("rsync");
        let command: Vec<&str> =
            [program.as_str(), &target].into_iter().chain(options.iter().map(String::as_str)).collect();
        place.add(name, &command, "");
    };
    let (folder, small) = (place.path("target"), place.path("small"));
    add("club", "key", &folder);
    add("stranger", "other-key", &folder);
    add("full", "key", &small);
    let read = |name: &str| fs::read(folder.join(name)).ok();
    let target = Target { place: &place, delivery: "club", ways: &[&server.way], read: &read, is_atomic: true };
    fs::write(folder.join("foreign.html"), "z").unwrap();
    target.assert_delivers_whole_files();
    assert_eq!(read("foreign.html"), Some(b"z".to_vec()), "files of others stay");
    place.once("stranger").fails(1, "it ended with");
    if let Some(_disk) = SmallDisk::mount(&small) {
        fs::write(small.join("games.pdn"), "whole").unwrap();
        assert_survives_full_disk(&place, "full", true, || fs::read(small.join("games.pdn")).ok());
    }
}

#[test]
fn lftp_over_sftp() {
    if !has_programs(&["lftp", "sshd", "ssh"]) {
        return;
    }
    let place = Place::new();
    let server = SshServer::start(&place, "");
    let site = |name: &str, key: &str, folder: &Path| {
        let options = server.options(&place, key).join(" ");
        let text = format!(
            "set sftp:connect-program \"ssh -a -x -o BatchMode=yes {options}\"\nopen -u {}, sftp://127.0.0.1:{}\ncd {}\n",
            server.user,
            server.way.address.port(),
            folder.display()
        );
        let file = place.path(&format!("{name}.conf"));
        fs::write(&file, text).unwrap();
        place.add(name, &[&hook("lftp"), file.to_str().unwrap()], "");
    };
    let (folder, small) = (place.path("target"), place.path("small"));
    site("club", "key", &folder);
    site("stranger", "other-key", &folder);
    site("full", "key", &small);
    let read = |name: &str| fs::read(folder.join(name)).ok();
    let target = Target { place: &place, delivery: "club", ways: &[&server.way], read: &read, is_atomic: false };
    target.assert_delivers_whole_files();
    place.once("stranger").fails(1, "it ended with");
    if let Some(_disk) = SmallDisk::mount(&small) {
        fs::write(small.join("games.pdn"), "whole").unwrap();
        assert_survives_full_disk(&place, "full", true, || fs::read(small.join("games.pdn")).ok());
    }
}

/// Makes a key and a certificate that it signs, for this machine: `NAME.key`, `NAME.pem`.
pub fn make_certificate(folder: &Path, name: &str) {
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"])
        .args(["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:127.0.0.3", "-keyout"])
        .arg(folder.join(format!("{name}.key")))
        .arg("-out")
        .arg(folder.join(format!("{name}.pem")))
        .output();
    assert!(made.unwrap().status.success());
}

/// Starts vsftpd on 127.0.0.2, whose data connections go to 127.0.0.3 as its control connections do.
fn start_vsftpd(place: &Place, root: &Path, options: &str) -> (Service, [Way; 2]) {
    let [control, data] = [free_port(), free_port()];
    fs::create_dir_all(place.path("empty")).unwrap();
    let config = format!(
        "listen=YES\nlisten_address=127.0.0.2\nlisten_port={control}\nbackground=NO\nseccomp_sandbox=NO\n\
         pasv_min_port={data}\npasv_max_port={data}\npasv_address=127.0.0.3\nanonymous_enable=YES\nno_anon_password=YES\n\
         anon_root={}\nanon_umask=022\nwrite_enable=YES\nanon_upload_enable=YES\nanon_mkdir_write_enable=YES\n\
         anon_other_write_enable=YES\nsecure_chroot_dir={}\n{options}",
        root.display(),
        place.path("empty").display()
    );
    let file = place.path("vsftpd.conf");
    fs::write(&file, config).unwrap();
    let service = Service::start(Command::new("/usr/sbin/vsftpd").arg(&file), &format!("127.0.0.2:{control}"));
    let ways = [control, data].map(|port| Way::open(&format!("127.0.0.3:{port}"), format!("127.0.0.2:{port}")));
    (service, ways)
}

/// Delivers to vsftpd with these options, by a site that begins with `settings`. Each of `refused` has settings, a user, and the last words of the
/// failure.
fn assert_lftp_delivers(place: &Place, scheme: &str, options: &str, settings: &str, refused: &[(&str, &str, &str)]) {
    // The user of vsftpd must reach the folder.
    let open = |path: &Path, mode: u32| {
        fs::create_dir_all(path).unwrap();
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    };
    let (root, folder, small) = (place.path("ftp"), place.path("ftp/live"), place.path("ftp/small"));
    open(&place.path(""), 0o755);
    open(&root, 0o755);
    open(&folder, 0o777);
    open(&small, 0o777);
    fs::create_dir_all("/srv/ftp").unwrap();
    let disk = SmallDisk::mount(&small);
    let (_server, ways) = start_vsftpd(place, &root, options);
    let site = |name: &str, settings: &str, user: &str, folder: &str| {
        let port = ways[0].address.port();
        let text = format!("{settings}open -u {user} {scheme}://127.0.0.3:{port}\ncd {folder}\n");
        let file = place.path(&format!("{name}.conf"));
        fs::write(&file, text).unwrap();
        place.add(name, &[&hook("lftp"), file.to_str().unwrap()], "");
    };
    site("club", settings, "anonymous,", "live");
    site("full", settings, "anonymous,", "small");
    let read = |name: &str| fs::read(folder.join(name)).ok();
    let target = Target { place, delivery: "club", ways: &[&ways[1]], read: &read, is_atomic: true };
    target.assert_delivers_whole_files();
    for ((settings, user, words), index) in refused.iter().zip(1..) {
        site(&format!("refused-{index}"), settings, user, "live");
        place.once(&format!("refused-{index}")).fails(1, words);
    }
    if disk.is_some() {
        fs::write(small.join("games.pdn"), "whole").unwrap();
        assert_survives_full_disk(place, "full", true, || fs::read(small.join("games.pdn")).ok());
    }
}

/// Whether vsftpd can be tried with these programs.
fn has_vsftpd(programs: &[&str]) -> bool {
    if !is_root() {
        println!("vsftpd needs root: FTP is NOT tried");
    }
    has_programs(programs) && is_root()
}

#[test]
fn lftp_over_ftp() {
    if !has_vsftpd(&["lftp", "vsftpd"]) {
        return;
    }
    let settings = "set ftp:ssl-allow no\n";
    assert_lftp_delivers(&Place::new(), "ftp", "", settings, &[(settings, "club,wrong", "Login failed: 530")]);
}

#[test]
fn lftp_over_ftps_needs_right_certificate() {
    if !has_vsftpd(&["lftp", "vsftpd", "openssl"]) {
        return;
    }
    let place = Place::new();
    for name in ["right", "wrong"] {
        make_certificate(&place.path(""), name);
    }
    let file = |name: &str| place.path(name).display().to_string();
    let options = format!(
        "ssl_enable=YES\nimplicit_ssl=YES\nallow_anon_ssl=YES\nforce_anon_logins_ssl=YES\nforce_anon_data_ssl=YES\n\
         rsa_cert_file={}\nrsa_private_key_file={}\n",
        file("right.pem"),
        file("right.key")
    );
    let trust = |name: &str| format!("set ssl:ca-file {}\n", file(name));
    let (right, wrong) = (trust("right.pem"), trust("wrong.pem"));
    let refused = [(right.as_str(), "club,wrong", "Login failed: 530"), (&wrong, "anonymous,", "ertificate")];
    assert_lftp_delivers(&place, "ftps", &options, &right, &refused);
}

/// Starts moto at an address.
fn start_moto(address: &str, python: &mut Command) -> Service {
    let port = address.rsplit(':').next().unwrap();
    let serve = "import sys, moto.server; moto.server.main(sys.argv[1:])";
    Service::start(python.args(["-c", serve, "-H", "127.0.0.1", "-p", port]), address)
}

/// Whether moto is there, an S3 server for tests, from PyPI, and rclone.
fn has_s3() -> bool {
    let python = "import moto.server, flask, boto3";
    let has_moto = Command::new("python3").args(["-c", python]).output().is_ok_and(|output| output.status.success());
    if !has_moto {
        println!("moto is not installed: S3 is NOT tried");
    }
    has_moto && has_programs(&["rclone"])
}

/// Makes a user and a bucket on the server of its argument, in four actions, and prints the user's keys.
const S3_USER: &str = r#"
import boto3, sys
server = dict(endpoint_url=sys.argv[1], region_name="us-east-1", aws_access_key_id="key", aws_secret_access_key="secret")
users = boto3.client("iam", **server)
users.create_user(UserName="club")
rights = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}'
users.put_user_policy(UserName="club", PolicyName="all", PolicyDocument=rights)
keys = users.create_access_key(UserName="club")["AccessKey"]
boto3.client("s3", **server).create_bucket(Bucket="club")
print(keys["AccessKeyId"], keys["SecretAccessKey"])
"#;

#[test]
fn rclone_to_s3_with_wrong_key() {
    if !has_s3() {
        return;
    }
    let place = Place::new();
    let address = free_address();
    // The server checks keys from the fifth action on.
    let _server = start_moto(&address, Command::new("python3").env("INITIAL_NO_AUTH_ACTION_COUNT", "4"));
    let mut user = Command::new("python3");
    let output = user.args(["-c", S3_USER, &format!("http://{address}")]).env_remove("AWS_CA_BUNDLE").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let (id, secret) =
        said.trim().split_once(' ').unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let remote = |name: &str, secret: &str| {
        format!(
            "[{name}]\ntype = s3\nprovider = Other\naccess_key_id = {id}\nsecret_access_key = {secret}\nregion = us-east-1\n\
             endpoint = http://{address}\nno_check_bucket = true\n"
        )
    };
    let config = place.path("rclone.conf");
    fs::write(&config, remote("right", secret) + &remote("wrong", "wrong")).unwrap();
    for name in ["right", "wrong"] {
        let (hook, bucket) = (hook("rclone"), format!("{name}:club/live"));
        place.add(name, &["env", "-u", "AWS_CA_BUNDLE", &hook, &bucket, "--config", config.to_str().unwrap()], "");
    }
    place.publish("games.pdn", "whole");
    place.once("right").done();
    place.publish("games.pdn", "changed");
    place.once("wrong").fails(1, "403");
    place.once("right").done();
}

#[test]
fn rclone_to_s3() {
    if !has_s3() {
        return;
    }
    let place = Place::new();
    let address = free_address();
    let _server = start_moto(&address, &mut Command::new("python3"));
    let get = |method: &str, path: &str| crate::serve::http_get(&address, method, path, &[]).unwrap();
    assert_eq!(get("PUT", "/club").status, 200);
    let way = Way::open("127.0.0.1:0", address.clone());
    let remote = |name: &str, address: &str| {
        format!(
            "[{name}]\ntype = s3\nprovider = Other\naccess_key_id = key\nsecret_access_key = secret\nendpoint = http://{address}\n\
             no_check_bucket = true\nacl = public-read\n"
        )
    };
    let config = place.path("rclone.conf");
    let full = free_address();
    fs::write(&config, remote("club", &way.address.to_string()) + &remote("full", &full)).unwrap();
    for (name, bucket) in [("club", "club:club/live"), ("absent", "club:missing/live"), ("full", "full:club/live")] {
        let hook = hook("rclone");
        // The machine of the test may name a certificate authority, which this version of rclone cannot combine with its own client.
        let command = ["env", "-u", "AWS_CA_BUNDLE", &hook, bucket, "--config", config.to_str().unwrap()];
        place.add(name, &command, "");
    }
    let read = |name: &str| {
        let answer = get("GET", &format!("/club/live/{}", name.replace(' ', "%20")));
        (answer.status == 200).then_some(answer.body)
    };
    Target { place: &place, delivery: "club", ways: &[&way], read: &read, is_atomic: true }
        .assert_delivers_whole_files();
    let head = get("HEAD", "/club/live/games.pdn").headers.to_ascii_lowercase();
    assert_contains(&head, &["content-type: text/plain; charset=utf-8"]);
    place.once("absent").fails(1, "it ended with");
    let small = place.path("small");
    if let Some(_disk) = SmallDisk::mount(&small) {
        // moto writes what is larger than this into temporary files.
        let mut python = Command::new("python3");
        let _server = start_moto(&full, python.env("MOTO_S3_DEFAULT_KEY_BUFFER_SIZE", "1000").env("TMPDIR", &small));
        let ask = |method: &str, path: &str| crate::serve::http_get(&full, method, path, &[]).unwrap();
        assert_eq!(ask("PUT", "/club").status, 200);
        place.publish("games.pdn", "whole");
        place.once("full").done();
        assert_survives_full_disk(&place, "full", true, || Some(ask("GET", "/club/live/games.pdn").body));
    }
}

/// Starts nginx with WebDAV for writers and plain reading for viewers.
fn start_nginx(place: &Place, address: &str) -> Service {
    let module = ["/usr/lib/nginx/modules", "/usr/share/nginx/modules"]
        .map(|folder| format!("{folder}/ngx_http_dav_ext_module.so"));
    let module = module.iter().find(|file| Path::new(file).exists()).unwrap();
    let config = format!(
        "load_module {module};\ndaemon off;\nmaster_process off;\npid {0}/pid;\nerror_log {0}/errors;\nevents {{}}\n\
         http {{\n access_log off;\n client_body_temp_path {0}/temp;\n client_max_body_size 10m;\n\
          fastcgi_temp_path {0}/f; proxy_temp_path {0}/p; scgi_temp_path {0}/s; uwsgi_temp_path {0}/u;\n\
          server {{\n listen {address};\n root {0}/target;\n location / {{\n dav_methods PUT DELETE MKCOL COPY MOVE;\n\
          dav_ext_methods PROPFIND OPTIONS;\n create_full_put_path on;\n\
          limit_except GET HEAD {{ auth_basic x; auth_basic_user_file {0}/users; }}\n }}\n }}\n}}\n",
        place.path("nginx").display()
    );
    fs::create_dir_all(place.path("nginx/target")).unwrap();
    fs::write(place.path("nginx/users"), "club:{PLAIN}secret\n").unwrap();
    fs::write(place.path("nginx/nginx.conf"), config).unwrap();
    // The workers of nginx are the process itself, so they may read the folder.
    Service::start(Command::new("/usr/sbin/nginx").arg("-c").arg(place.path("nginx/nginx.conf")), address)
}

#[test]
fn rclone_to_webdav() {
    if !has_programs(&["nginx", "rclone"]) {
        return;
    }
    let folders = ["/usr/lib/nginx/modules", "/usr/share/nginx/modules"];
    if !folders.iter().any(|folder| Path::new(folder).join("ngx_http_dav_ext_module.so").exists()) {
        println!("nginx has no libnginx-mod-http-dav-ext: WebDAV is NOT tried");
        return;
    }
    let place = Place::new();
    let address = free_address();
    let _server = start_nginx(&place, &address);
    let way = Way::open("127.0.0.1:0", address.clone());
    for (name, password, folder) in
        [("club", "secret", "live"), ("stranger", "wrong", "live"), ("full", "secret", "small")]
    {
        let hidden = Command::new("rclone").args(["obscure", password]).output().unwrap();
        let hidden = String::from_utf8(hidden.stdout).unwrap();
        let remote = format!(
            "[dav]\ntype = webdav\nurl = http://{}\nvendor = other\nuser = club\npass = {hidden}\n",
            way.address
        );
        let config = place.path(&format!("{name}.conf"));
        fs::write(&config, remote).unwrap();
        place.add(name, &[&hook("rclone"), &format!("dav:{folder}"), "--config", config.to_str().unwrap()], "");
    }
    let get = |path: &str| crate::serve::http_get(&address, "GET", path, &[]).unwrap();
    let read = |name: &str| {
        Some(get(&format!("/live/{}", name.replace(' ', "%20"))))
            .filter(|answer| answer.status == 200)
            .map(|answer| answer.body)
    };
    Target { place: &place, delivery: "club", ways: &[&way], read: &read, is_atomic: true }
        .assert_delivers_whole_files();
    place.once("stranger").fails(1, "it ended with");
    let small = place.path("nginx/target/small");
    if let Some(_disk) = SmallDisk::mount(&small) {
        fs::write(small.join("games.pdn"), "whole").unwrap();
        let read = || Some(get("/small/games.pdn")).filter(|answer| answer.status == 200).map(|answer| answer.body);
        assert_survives_full_disk(&place, "full", false, read);
    }
}

/// An API like that of lichess: the token is in a header, and the answer is the last word.
#[test]
fn push_sends_games_with_token() {
    if !has_programs(&["curl"]) {
        return;
    }
    let place = Place::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/api/broadcast/round/x/push", listener.local_addr().unwrap());
    fs::write(place.path("token"), "secret\n").unwrap();
    place.add("push", &[&hook("push"), &url, place.path("token").to_str().unwrap()], "");
    place.publish("games.pdn", "[Event \"é\"]\n");
    let answer = |status: &str, body: &str| {
        let (mut client, _) = listener.accept().unwrap();
        let (mut request, mut buffer) = (Vec::new(), [0; 4096]);
        while !request.ends_with("[Event \"é\"]\n".as_bytes()) {
            let count = client.read(&mut buffer).unwrap();
            assert!(count > 0, "{}", String::from_utf8_lossy(&request));
            request.extend_from_slice(&buffer[..count]);
        }
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
        client.write_all((head + body).as_bytes()).unwrap();
        String::from_utf8(request).unwrap()
    };
    let pushed = std::thread::scope(|scope| {
        let server = scope.spawn(|| answer("200 OK", "{\"games\":[{\"tags\":{},\"moves\":4}]}"));
        assert_contains(&place.once("push").done(), &["\"moves\\\":4"]);
        server.join().unwrap()
    });
    let head =
        ["POST /api/broadcast/round/x/push ", "Authorization: Bearer secret\r\n", "text/plain; charset=utf-8\r\n"];
    assert_contains(&pushed, &head);
    std::thread::scope(|scope| {
        scope.spawn(|| answer("401 Unauthorized", "{\"error\":\"no such token\"}"));
        place.once("push").fails(1, "no such token");
    });
}
