// A part without which the view goes on, such as the list of shortcuts: when it fails, or its file is lost, it is left out, and a reload is
// offered.
import { CatchBoundary } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { tellFault } from './reload-offer.js';

interface OptionalPartProps {
  readonly children: ReactNode;
  /** The part was left out. */
  readonly onFailed?: () => void;
}

const Nothing = (): ReactNode => null;
const findKey = (): string => 'part';

export function OptionalPart({ children, onFailed }: OptionalPartProps): ReactNode {
  return (
    <CatchBoundary
      getResetKey={findKey}
      errorComponent={Nothing}
      onCatch={(error) => {
        tellFault(error);
        onFailed?.();
      }}
    >
      <Suspense fallback={null}>{children}</Suspense>
    </CatchBoundary>
  );
}
