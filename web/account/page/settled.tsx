import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type Tab } from '#contract/account-tabs'
import { hasFirstScreen } from '../../state/page-data.ts'
import { classNames } from '../../ui/class-names.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import styles from './settled.module.css'

/** A read that starts because of the answer of another one does so within this time. */
const quietMs = 40
/** A tab whose reads take longer is shown without them. */
const longestMs = 4000

/** Whether a tab has been shown since the page was loaded: until then its skeleton is on the screen already. */
let isFirst = true

/** Whether all reads that were made since this component appeared are answered. Once true, it stays so. */
function useSettled(): boolean {
  const client = useQueryClient()
  const [isSettled, setSettled] = useState(() => isFirst && hasFirstScreen())
  useEffect(() => {
    let check: ReturnType<typeof setTimeout>
    const end = () => {
      isFirst = false
      setSettled(true)
    }
    const later = () => {
      clearTimeout(check)
      check = setTimeout(() => client.isFetching() === 0 && end(), quietMs)
    }
    later()
    const unsubscribe = client.getQueryCache().subscribe(later)
    const last = setTimeout(end, longestMs)
    return () => {
      unsubscribe()
      clearTimeout(check)
      clearTimeout(last)
    }
  }, [client])
  return isSettled
}

/**
 * Shows a tab when its first reads are answered, all of it together: nothing moves when data arrives. A field
 * that wants the focus has `data-wants-focus` beside `autoFocus`: it can have it only once the tab is shown.
 */
export function Settled({ tab, children }: { tab: Tab; children: ReactNode }) {
  const isSettled = useSettled()
  const content = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (isSettled) content.current?.querySelector<HTMLElement>('[data-wants-focus]')?.focus()
  }, [isSettled])
  const [isLate] = useState(!isFirst)
  return (
    <div className={styles.stack}>
      <div ref={content} className={classNames(!isSettled && styles.hidden)}>
        {children}
      </div>
      {!isSettled && <TabSkeleton tab={tab} isLate={isLate} />}
    </div>
  )
}

/** The outline of a tab. `isLate`: only where the tab takes noticeably long. */
export function TabSkeleton({ tab, isLate = false }: { tab: Tab; isLate?: boolean }) {
  return (
    <div className={classNames(styles.skeleton, isLate && styles.late)} aria-hidden="true" data-skeleton>
      {tab === 'main' && <div className={styles.board} />}
      <Skeleton characters={24} />
      <Skeleton characters={60} />
      <Skeleton characters={48} />
    </div>
  )
}
