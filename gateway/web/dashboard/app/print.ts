// Tells when the page is printed. Paper is white, so the colours are then those of a light screen.
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

export function useIsPrinting(): boolean {
  const [isPrinting, setIsPrinting] = useState(false);
  useEffect(() => {
    // The browser prints as soon as the listeners return, so the page is drawn before.
    const set = (is: boolean) => (): void => {
      flushSync(() => {
        setIsPrinting(is);
      });
    };
    const [begin, end] = [set(true), set(false)];
    const paper = window.matchMedia('print');
    // Tools that show a page as on paper change the medium only.
    const change = ({ matches }: MediaQueryListEvent): void => {
      (matches ? begin : end)();
    };
    window.addEventListener('beforeprint', begin);
    window.addEventListener('afterprint', end);
    paper.addEventListener('change', change);
    return () => {
      window.removeEventListener('beforeprint', begin);
      window.removeEventListener('afterprint', end);
      paper.removeEventListener('change', change);
    };
  }, []);
  return isPrinting;
}
