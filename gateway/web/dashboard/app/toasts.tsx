// The notices that appear above a view. The part that draws them is loaded once the first view is drawn, since a notice may say
// that the connection is lost.
import { useNotifications } from '@mantine/notifications';
import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useState } from 'react';

const loadToastList = () => import('./toast-list.js').catch(() => null);

/** Without its file, as after an update of the service, a notice is missing; the view stays. */
const ToastList = lazy(async (): Promise<{ default: ComponentType }> => {
  const file = await loadToastList();
  return { default: file?.ToastList ?? (() => null) };
});

export function Toasts(): ReactNode {
  const { notifications } = useNotifications();
  const [isUsed, setIsUsed] = useState(false);
  useEffect(() => void loadToastList(), []);
  if (notifications.length > 0 && !isUsed) setIsUsed(true);
  if (!isUsed) return null;
  return (
    <Suspense fallback={null}>
      <ToastList />
    </Suspense>
  );
}
