//! What the pictures have in common.

/// The width of a picture.
pub const WIDTH: f64 = 760.0;

/// A text as XML has it.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The begin of a picture of this height, whose title stands at this place.
pub fn begin(height: f64, (x, y): (f64, f64), title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"{x}\" y=\"{y}\" font-size=\"15\" fill=\"#222\">{}</text>\n",
        escaped(title)
    )
}
