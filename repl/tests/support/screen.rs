//! A terminal's screen after some bytes: only the few control sequences that the program writes are supported.

/// A character and its style.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cell {
    pub letter: Option<char>,
    pub look: Look,
}

/// The style of a character.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Look {
    /// One of the eight colours; `None` is the default.
    pub color: Option<u8>,
    pub bold: bool,
    pub faint: bool,
    pub underlined: bool,
}

/// Rows of cells, and the position of the next character.
pub struct Screen {
    pub rows: Vec<Vec<Cell>>,
    columns: usize,
    height: usize,
    row: usize,
    column: usize,
    look: Look,
}

impl Screen {
    /// Returns the screen of a terminal of this size after `text`. Panics at an unknown control sequence.
    pub fn after(text: &str, rows: u16, columns: u16) -> Screen {
        let (columns, height) = (usize::from(columns), usize::from(rows));
        let mut screen = Screen::new(height, columns);
        screen.write(text);
        screen
    }

    fn new(height: usize, columns: usize) -> Screen {
        Screen {
            rows: vec![vec![Cell::default(); columns]; height],
            columns,
            height,
            row: 0,
            column: 0,
            look: Look::default(),
        }
    }

    /// Changes the width. Rows are cut, or padded with blanks; unlike in some terminals, they are not rewrapped.
    pub fn resize(&mut self, columns: u16) {
        self.columns = usize::from(columns);
        self.column = self.column.min(self.columns - 1);
        for row in &mut self.rows {
            row.resize(self.columns, Cell::default());
        }
    }

    /// Writes text to the screen. Panics at an unknown control sequence.
    pub fn write(&mut self, text: &str) {
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\r' => self.column = 0,
                '\n' => self.next_row(),
                '\x08' => self.column = self.column.saturating_sub(1),
                '\x07' => {}
                '\x1b' => {
                    assert_eq!(letters.next(), Some('['), "a control sequence");
                    let mut parameters = String::new();
                    let end = letters.find(|letter| {
                        let is_end = letter.is_ascii_alphabetic();
                        if !is_end {
                            parameters.push(*letter);
                        }
                        is_end
                    });
                    self.control(&parameters, end.expect("the end of a control sequence"));
                }
                letter => self.put(letter),
            }
        }
    }

    fn next_row(&mut self) {
        self.row += 1;
        if self.row == self.height {
            self.rows.remove(0);
            self.rows.push(vec![Cell::default(); self.columns]);
            self.row -= 1;
        }
    }

    fn put(&mut self, letter: char) {
        if self.column == self.columns {
            self.column = 0;
            self.next_row();
        }
        self.rows[self.row][self.column] = Cell { letter: Some(letter), look: self.look };
        self.column += 1;
    }

    fn control(&mut self, parameters: &str, end: char) {
        if parameters.starts_with('?') {
            return; // modes, such as for the cursor and for pasting
        }
        let numbers: Vec<usize> =
            parameters.split(';').map(|number| number.parse().unwrap_or(0)).collect();
        let count = numbers[0].max(1);
        match end {
            'm' => match numbers.as_slice() {
                [38, 5, color] => self.look.color = u8::try_from(color % 8).ok(),
                numbers => numbers.iter().for_each(|number| self.style(*number)),
            },
            'A' => self.row = self.row.saturating_sub(count),
            'B' => self.row = (self.row + count).min(self.height - 1),
            'C' => self.column = (self.column + count).min(self.columns - 1),
            'D' => self.column = self.column.saturating_sub(count),
            'K' => self.rows[self.row][self.column.min(self.columns - 1)..].fill(Cell::default()),
            'J' => {
                self.rows[self.row][self.column.min(self.columns - 1)..].fill(Cell::default());
                for row in &mut self.rows[self.row + 1..] {
                    row.fill(Cell::default());
                }
            }
            other => panic!("a control sequence that ends with {other}"),
        }
    }

    fn style(&mut self, number: usize) {
        match number {
            0 => self.look = Look::default(),
            1 => self.look.bold = true,
            2 => self.look.faint = true,
            4 => self.look.underlined = true,
            30..=37 => self.look.color = u8::try_from(number - 30).ok(),
            other => panic!("a style {other}"),
        }
    }

    /// Returns the text without styles, and without the space at the ends of rows.
    pub fn text(&self) -> String {
        let row = |row: &Vec<Cell>| {
            let letters = row.iter().map(|cell| cell.letter.unwrap_or(' '));
            letters.collect::<String>().trim_end().to_owned()
        };
        let rows: Vec<String> = self.rows.iter().map(row).collect();
        rows.join("\n").trim_end().to_owned()
    }
}
