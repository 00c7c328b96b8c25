//! Commands with a sequence of answers: the instructions of a module, the rules of a file.

use super::contain::contained;
use super::failure::Failure;
use super::table::Call;

impl Call<'_> {
    /// Runs `work` for each item in order: checks for interruption in between, reports progress, and contains panics to
    /// one item.
    ///
    /// State that `work` keeps between items must be consistent whenever it returns or panics, as a cache of finished
    /// results is.
    ///
    /// # Errors
    /// Interruption, and the errors of `work`.
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
