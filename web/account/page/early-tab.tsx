import { QueryClientProvider } from '@tanstack/react-query'
import { queryClient } from '../../state/reads/queries.ts'
import type { Session } from '../../state/session.ts'
import { MainTab } from '../main/main-tab.tsx'

/**
 * The overview as the server renders it for a customer. start.ts puts it into the frame in place of the
 * outline, until the scripts of the page have loaded. `data-early` keeps the footer away meanwhile: the tab
 * becomes longer.
 */
export function EarlyTab({ user }: { user: Session }) {
  return (
    <div data-early>
      <QueryClientProvider client={queryClient}>
        <MainTab user={user} />
      </QueryClientProvider>
    </div>
  )
}
