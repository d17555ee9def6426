// A part without which the view goes on, such as a chart: when it fails, or its file is lost, it is left out, and a reload is
// offered.
import { CatchBoundary } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { tellFault } from './reload-offer.js';

interface OptionalPartProps {
  readonly children: ReactNode;
  /** Shown while the part is loaded. */
  readonly loading?: ReactNode;
  /** The part was left out. */
  readonly onFailed?: () => void;
}

const Nothing = (): ReactNode => null;
const findKey = (): string => 'part';

export function OptionalPart(props: OptionalPartProps): ReactNode {
  const { children, loading = null, onFailed } = props;
  return (
    <CatchBoundary
      getResetKey={findKey}
      errorComponent={Nothing}
      onCatch={(error) => {
        tellFault(error);
        onFailed?.();
      }}
    >
      <Suspense fallback={loading}>{children}</Suspense>
    </CatchBoundary>
  );
}
