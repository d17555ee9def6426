// @ts-check
// Adds a button to each example that copies it. Pages of the documentation work without scripts.

const COPIED_MS = 2_000;

/** @param {HTMLElement} block */
function addCopyButton(block) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(block.textContent ?? '').then(() => {
      button.textContent = 'Copied';
      setTimeout(() => (button.textContent = 'Copy'), COPIED_MS);
    });
  });
  const frame = document.createElement('div');
  frame.className = 'example';
  block.replaceWith(frame);
  frame.append(block, button);
}

// Browsers offer the clipboard on secure pages only.
if ('clipboard' in navigator) {
  for (const block of document.querySelectorAll('.prose pre')) {
    addCopyButton(/** @type {HTMLElement} */ (block));
  }
}
