"""Mounts one drawn component in a page, as Streamlit would, without Streamlit around it."""

import base64

import numpy as np
from playwright.sync_api import Page

from attnlab.viz import bundles

MOUNT = """async ({script, style, dark, payload, width, shadow}) => {
  if (!window.holder) {
    window.sent = [];
    document.body.style.margin = 0;
    window.holder = document.body.appendChild(document.createElement("div"));
    const colours = dark ? ["#0f1216", "#e7e9ee"] : ["#fbfaf8", "#1c2330"];
    holder.style.cssText = `width:${width}px;--st-background-color:${colours[0]};` +
      `--st-text-color:${colours[1]};--st-primary-color:#43506a;background:${colours[0]}`;
    window.home = shadow ? holder.attachShadow({mode: "open"}) : holder;
    const sheet = document.createElement("style");
    sheet.textContent = style;
    const root = document.createElement("div");
    root.className = "al-root";
    home.append(sheet, root);
    const source = new Blob([script], {type: "text/javascript"});
    window.component = await import(URL.createObjectURL(source));
  }
  const bytes = Uint8Array.from(atob(payload), (char) => char.charCodeAt(0));
  window.unmount = component.default({
    data: bytes, parentElement: home,
    setStateValue: (name, value) => sent.push({name, ...value}),
  });
}"""
HOSTILE = [
    '<img src=x onerror="window.hit=1">',
    "</script><script>window.hit=1</script>",
    "a\u202eb",
]


def words(*texts):
    return [{"text": text, "raw": text, "id": i, "special": False} for i, text in enumerate(texts)]


def causal(*shape, seed=0):
    maps = np.tril(np.random.default_rng(seed).random(shape, dtype=np.float32))
    return maps / maps.sum(-1, keepdims=True)


def show(page: Page, name: str, payload: bytes, *, width=1160, dark=False, shadow=True):
    """Mounts the component `name`, or gives the mounted one new data."""
    page.evaluate(
        MOUNT,
        {
            "script": bundles.script(name),
            "style": bundles.style(name),
            "payload": base64.b64encode(payload).decode(),
            "width": width,
            "dark": dark,
            "shadow": shadow,
        },
    )
