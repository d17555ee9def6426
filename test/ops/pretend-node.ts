// Makes a program believe that it runs on another version of Node.

/** Options of node. They change what `process.versions` says, and nothing else. */
export function pretendNode(node: string, modules: string): string[] {
  const versions = `{ ...process.versions, node: '${node}', modules: '${modules}' }`;
  const source = `Object.defineProperty(process, 'versions', { value: ${versions} });`;
  return ['--import', `data:text/javascript,${encodeURIComponent(source)}`];
}
