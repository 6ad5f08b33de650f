//! A disk in memory that can lose its power, fill up, or fail at any operation.
//!
//! Written data is visible at once, and durable after a sync: a file for its bytes, a folder for its names. In between it is outstanding,
//! and a loss of power may take any of it: each outstanding write may be there or not, and the bytes of a lost one that are followed by
//! others read as zero.
//!
//! A failed sync marks the pages clean: outstanding data is still readable, but is never durable unless it is written again.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Cursor, Error, ErrorKind};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use damcast::station::disk::{Disk, File};

/// A disk; clones share it.
#[derive(Clone, Default)]
pub struct ModelDisk(Arc<Mutex<Model>>);

/// The content of a disk.
#[derive(Clone, Default)]
pub struct Model {
    seen: Tree,
    durable: Tree,
    outstanding: Vec<PendingOp>,
    /// Number of changing operations, including failed ones.
    count: usize,
    fault: Option<Fault>,
    /// The state before each operation, if recorded.
    history: Option<Vec<Model>>,
}

#[derive(Clone, Default)]
struct Tree {
    files: Vec<Vec<u8>>,
    names: BTreeMap<PathBuf, usize>,
}

/// An operation that is not durable yet.
#[derive(Clone, Debug)]
enum PendingOp {
    Write { file: usize, at: usize, bytes: Vec<u8> },
    Name { remove: Option<PathBuf>, add: Option<(PathBuf, usize)> },
}

/// Operations that fail, by their number.
#[derive(Clone, Debug)]
pub struct Fault {
    pub operations: Range<usize>,
    /// The system's error number.
    pub errno: i32,
}

impl Tree {
    fn apply(&mut self, op: &PendingOp) {
        match op {
            PendingOp::Write { file, at, bytes } => {
                let content = &mut self.files[*file];
                content.resize(content.len().max(at + bytes.len()), 0);
                content[*at..at + bytes.len()].copy_from_slice(bytes);
            }
            PendingOp::Name { remove, add } => {
                let _ = remove.as_ref().map(|path| self.names.remove(path));
                let _ = add.as_ref().map(|(path, file)| self.names.insert(path.clone(), *file));
            }
        }
    }
}

impl Model {
    /// Returns the number of outstanding operations.
    pub fn outstanding(&self) -> usize {
        self.outstanding.len()
    }

    /// Returns the number of operations so far.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the visible files under a folder.
    pub fn files(&self, folder: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let names = self.seen.names.iter().filter(|(path, _)| path.starts_with(folder));
        names.map(|(path, file)| (path.clone(), self.seen.files[*file].clone())).collect()
    }

    /// Returns the disk after a loss of power that took these outstanding operations.
    pub fn after_power_loss(&self, is_lost: impl Fn(usize) -> bool) -> ModelDisk {
        let mut tree = self.durable.clone();
        let kept = self.outstanding.iter().enumerate().filter(|(index, _)| !is_lost(*index));
        kept.for_each(|(_, op)| tree.apply(op));
        ModelDisk(Arc::new(Mutex::new(Model { seen: tree.clone(), durable: tree, ..Model::default() })))
    }

    /// Returns the disk as another process finds it.
    pub fn after_crash(&self) -> ModelDisk {
        ModelDisk(Arc::new(Mutex::new(Model { history: None, fault: None, ..self.clone() })))
    }

    /// Starts an operation, which may be one of those that fail.
    fn begin(&mut self) -> io::Result<()> {
        if let Some(mut history) = self.history.take() {
            history.push(self.clone());
            self.history = Some(history);
        }
        self.count += 1;
        match &self.fault {
            Some(fault) if fault.operations.contains(&(self.count - 1)) => Err(Error::from_raw_os_error(fault.errno)),
            _ => Ok(()),
        }
    }

    fn perform(&mut self, op: PendingOp) {
        self.seen.apply(&op);
        self.outstanding.push(op);
    }

    fn new_file(&mut self) -> usize {
        self.seen.files.push(Vec::new());
        self.durable.files.push(Vec::new());
        self.seen.files.len() - 1
    }

    /// Makes the data of a sync durable; a failed sync loses it.
    fn sync(&mut self, is_of_it: impl Fn(&PendingOp) -> bool, result: &io::Result<()>) {
        let (of_it, others): (Vec<PendingOp>, _) =
            std::mem::take(&mut self.outstanding).into_iter().partition(is_of_it);
        self.outstanding = others;
        if result.is_ok() {
            of_it.iter().for_each(|op| self.durable.apply(op));
        }
    }
}

impl ModelDisk {
    /// Creates an empty disk.
    pub fn new() -> ModelDisk {
        ModelDisk::default()
    }

    pub fn model(&self) -> MutexGuard<'_, Model> {
        self.0.lock().unwrap()
    }

    /// Replaces the content of a file durably.
    pub fn put(&self, path: &str, bytes: Vec<u8>) {
        let mut model = self.model();
        let file = model.seen.names[Path::new(path)];
        model.outstanding.retain(|op| !matches!(op, PendingOp::Write { file: written, .. } if *written == file));
        model.seen.files[file].clone_from(&bytes);
        model.durable.files[file] = bytes;
    }

    /// Makes operations fail, by their numbers from the first of all.
    pub fn set_fault(&self, fault: Option<Fault>) {
        self.model().fault = fault;
    }

    /// Starts recording the state before each operation.
    pub fn keep_history(&self) {
        self.model().history = Some(Vec::new());
    }

    /// Returns the state before each operation, and the present one.
    pub fn history(&self) -> Vec<Model> {
        let mut model = self.model();
        let mut history = model.history.take().unwrap_or_default();
        history.push(model.clone());
        history
    }

    fn file(&self, index: usize) -> Arc<dyn File> {
        Arc::new(ModelFile { disk: self.clone(), index })
    }
}

impl Disk for ModelDisk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let model = self.model();
        let index = model.seen.names.get(path).ok_or(ErrorKind::NotFound)?;
        Ok(model.seen.files[*index].clone())
    }

    fn reader(&self, path: &Path, from: u64) -> io::Result<Box<dyn BufRead>> {
        let mut content = Cursor::new(self.read(path)?);
        content.set_position(from);
        Ok(Box::new(content))
    }

    fn length(&self, path: &Path) -> io::Result<u64> {
        Ok(self.read(path)?.len() as u64)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let model = self.model();
        let names = model.seen.names.keys().filter(|path| path.parent() == Some(folder));
        Ok(names.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect())
    }

    fn may_write(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn create(&self, path: &Path) -> io::Result<Arc<dyn File>> {
        let mut model = self.model();
        if model.seen.names.contains_key(path) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        model.begin()?;
        let index = model.new_file();
        model.perform(PendingOp::Name { remove: None, add: Some((path.to_owned(), index)) });
        Ok(self.file(index))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn File>> {
        let model = self.model();
        let index = *model.seen.names.get(path).ok_or(ErrorKind::NotFound)?;
        Ok(self.file(index))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut model = self.model();
        let index = *model.seen.names.get(from).ok_or(ErrorKind::NotFound)?;
        model.begin()?;
        model.perform(PendingOp::Name { remove: Some(from.to_owned()), add: Some((to.to_owned(), index)) });
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut model = self.model();
        model.seen.names.get(path).ok_or(ErrorKind::NotFound)?;
        model.begin()?;
        model.perform(PendingOp::Name { remove: Some(path.to_owned()), add: None });
        Ok(())
    }

    fn make_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        let mut model = self.model();
        let result = model.begin();
        let is_in = |path: &PathBuf| path.parent() == Some(folder);
        let is_of_it = |op: &PendingOp| match op {
            PendingOp::Name { remove, add } => {
                remove.as_ref().is_some_and(is_in) || add.as_ref().is_some_and(|(path, _)| is_in(path))
            }
            PendingOp::Write { .. } => false,
        };
        // Names are in the file system's own journal, which stops altogether when it cannot be written.
        if result.is_ok() {
            model.sync(is_of_it, &result);
        }
        result
    }
}

struct ModelFile {
    disk: ModelDisk,
    index: usize,
}

impl File for ModelFile {
    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut model = self.disk.model();
        let result = model.begin();
        // A disk that fills up accepts a part, and reports the error at the next write.
        let taken = if result.is_ok() { bytes.len() } else { bytes.len() / 2 };
        let at = model.seen.files[self.index].len();
        model.perform(PendingOp::Write { file: self.index, at, bytes: bytes[..taken].to_vec() });
        if taken == 0 { result.map(|()| 0) } else { Ok(taken) }
    }

    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        let mut model = self.disk.model();
        let result = model.begin();
        let taken = if result.is_ok() { bytes.len() } else { bytes.len() / 2 };
        model.perform(PendingOp::Write { file: self.index, at: at as usize, bytes: bytes[..taken].to_vec() });
        result
    }

    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<usize> {
        let model = self.disk.model();
        let rest = model.seen.files[self.index].get(at as usize..).unwrap_or_default();
        let count = rest.len().min(bytes.len());
        bytes[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.disk.model().seen.files[self.index].len() as u64)
    }

    fn sync(&self) -> io::Result<()> {
        let mut model = self.disk.model();
        let result = model.begin();
        let index = self.index;
        model.sync(|op| matches!(op, PendingOp::Write { file, .. } if *file == index), &result);
        result
    }

    fn reserve(&self, _: u64) -> io::Result<()> {
        Err(ErrorKind::Unsupported.into())
    }

    fn is_at(&self, path: &Path, length: u64) -> bool {
        let model = self.disk.model();
        model.seen.names.get(path) == Some(&self.index) && model.seen.files[self.index].len() as u64 == length
    }

    fn release(&self) -> io::Result<()> {
        Ok(())
    }
}
