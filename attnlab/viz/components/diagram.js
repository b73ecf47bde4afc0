// A diagram by itself.

export default function (component) {
  return mountOnce(component, Drawing);
}
