// Saving a picture as PNG: drawn once more, sharp on any screen, on the page's own background.

const SAVED_SCALE = 2; // image pixels for each CSS pixel
const SAVED_EDGE = 16; // CSS pixels of background around the picture

/** A button that saves what picture() returns: {name, width, height, paper, draw(context)}. */
function saveButton(picture) {
  const button = make("button", "al-save", "Save PNG");
  button.type = "button";
  button.onclick = () => {
    const { name, width, height, paper, draw } = picture();
    const canvas = make("canvas");
    canvas.width = Math.ceil((width + 2 * SAVED_EDGE) * SAVED_SCALE);
    canvas.height = Math.ceil((height + 2 * SAVED_EDGE) * SAVED_SCALE);
    const context = canvas.getContext("2d");
    context.fillStyle = paper;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.scale(SAVED_SCALE, SAVED_SCALE);
    context.translate(SAVED_EDGE, SAVED_EDGE);
    draw(context);
    canvas.toBlob((blob) => {
      const link = make("a");
      link.href = URL.createObjectURL(blob);
      link.download = `${name}.png`;
      link.click();
      URL.revokeObjectURL(link.href);
    });
  };
  return button;
}
