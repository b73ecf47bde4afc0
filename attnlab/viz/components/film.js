// A drawing in many pictures, shown one after another: played, stepped through, or moved to with a
// slider. All pictures came with the payload (attnlab/viz/film.py), so nothing is asked for.

const PACE = 650; // milliseconds a picture
const LONG = 48; // pictures from which playing goes faster, so that it ends

class Film extends Drawing {
  constructor(root) {
    super(root);
    const row = make("div", "al-film");
    root.insertBefore(row, this.svg);
    this.back = this.control(row, "‹", "Back", () => this.step(-1));
    this.toggle = this.control(row, "▶", "Play", () => (this.timer ? this.pause() : this.play()));
    this.next = this.control(row, "›", "On", () => this.step(1));
    this.slider = row.appendChild(make("input"));
    this.slider.type = "range";
    this.slider.min = 0;
    this.slider.oninput = () => this.hold(Number(this.slider.value));
    // Told once it is let go: moving it asks nobody.
    this.slider.onchange = () => this.tell();
    this.now = row.appendChild(make("span", "al-film-now"));
  }

  control(row, sign, name, act) {
    const button = row.appendChild(make("button", "al-button", sign));
    button.setAttribute("aria-label", name);
    button.onclick = act;
    return button;
  }

  receive({ header }) {
    this.film = header;
    const last = header.frames.length - 1;
    this.slider.max = last;
    this.slider.setAttribute("aria-label", header.label);
    if (header.serial !== this.serial) {
      this.serial = header.serial;
      this.pause(false);
      this.place = header.frame;
    }
    this.show(Math.min(this.place, last));
  }

  /** Draw one picture over what stands still. */
  show(place) {
    const { width, height, shapes, frames, label } = this.film, frame = frames[place];
    this.place = place;
    this.slider.value = place;
    this.slider.setAttribute("aria-valuetext", frame.name);
    this.now.textContent = frame.name;
    this.back.disabled = place === 0;
    this.next.disabled = place === frames.length - 1;
    const all = { width, height, label: `${label} ${frame.name}`, spots: frame.spots };
    super.receive({ header: { ...all, shapes: [...shapes, ...frame.shapes] } });
  }

  hold(place) {
    this.pause(false);
    this.show(place);
  }

  step(by) {
    this.hold(Math.max(0, Math.min(this.film.frames.length - 1, this.place + by)));
    this.live.textContent = this.film.frames[this.place].name;
    this.tell();
  }

  play() {
    const last = this.film.frames.length - 1;
    if (this.place === last) this.show(0);
    this.toggle.textContent = "❚❚";
    this.toggle.setAttribute("aria-label", "Pause");
    const pace = PACE * Math.min(1, LONG / last);
    this.timer = setInterval(() => {
      if (!this.root.isConnected) return this.pause(false);
      this.show(this.place + 1);
      if (this.place >= last) this.pause();
    }, pace);
  }

  pause(aloud = true) {
    if (this.timer) clearInterval(this.timer);
    const moved = Boolean(this.timer);
    this.timer = null;
    this.toggle.textContent = "▶";
    this.toggle.setAttribute("aria-label", "Play");
    if (moved && aloud) this.tell();
  }

  /** Tell Python which picture is shown, so that a link shows it again. */
  tell() {
    this.send({ frame: this.place, serial: this.serial });
  }

  leave() {
    super.leave();
    // Called while it moves between two pictures too, when the pointer leaves: only the end counts.
    if (!this.root.isConnected) this.pause(false);
  }
}

export default function (component) {
  return mountOnce(component, Film);
}
