// @ts-check
// Copies an example at the press of the button beside it, and adds such a button to each example of a guide. Pages of the
// documentation work without scripts.

const COPIED_MS = 2_000;

/**
 * Browsers offer the clipboard to pages with HTTPS only. Elsewhere, and where they refuse it, the example is selected and
 * copied; if that fails, too, it stays selected.
 * @param {HTMLElement} block
 */
async function copy(block) {
  try {
    await navigator.clipboard.writeText(block.textContent ?? '');
    return true;
  } catch {
    window.getSelection()?.selectAllChildren(block);
    return document.execCommand('copy');
  }
}

/** @param {HTMLElement} button */
async function copyFrom(button) {
  const block = button.parentElement?.querySelector('pre');
  if (!block) return;
  button.textContent = (await copy(block)) ? 'Copied' : 'Selected: copy it';
  setTimeout(() => (button.textContent = 'Copy'), COPIED_MS);
}

/** @param {HTMLElement} block */
function addCopyButton(block) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  const frame = document.createElement('div');
  frame.className = 'example';
  block.replaceWith(frame);
  frame.append(block, button);
}

for (const block of document.querySelectorAll('.prose pre')) {
  addCopyButton(/** @type {HTMLElement} */ (block));
}

// The reference draws its examples later.
document.addEventListener('click', ({ target }) => {
  if (target instanceof HTMLElement && target.matches('button.copy')) void copyFrom(target);
});
