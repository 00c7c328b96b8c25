//! One answer after the other: the instructions of a module, the rules of a file.

use super::contain::contained;
use super::failure::Failure;
use super::table::Call;

impl Call<'_> {
    /// Does `work` for each item in order: it can be stopped between two of them, tells how far it is, and a panic costs
    /// the answer for one item.
    ///
    /// What `work` keeps between items must be whole whenever it is left, as a cache of finished results is.
    ///
    /// # Errors
    /// When the user stops it, and those of `work`.
    pub fn each<T>(
        &mut self,
        items: Vec<T>,
        mut work: impl FnMut(&mut Self, T) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let all = items.len();
        for (done, item) in items.into_iter().enumerate() {
            self.go_on()?;
            self.host.progress(done, all);
            match contained(|| work(self, item)) {
                Ok(result) => result?,
                Err(defect) => {
                    let failure = self.failed(defect);
                    self.report(&failure);
                }
            }
        }
        Ok(())
    }
}
