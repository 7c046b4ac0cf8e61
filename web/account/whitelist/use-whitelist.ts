/** The whitelist of one pool. An address is removed at once; the removal can be undone for five seconds. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Output } from '#contract/contract'
import type { Pool } from '#contract/wire'
import { call } from '../../state/api.ts'
import { query } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import { toastFailure } from '../toast-failure.ts'

const undoMs = 5000

/** While an address is unproven, its state is read again at this interval. */
const askAgainMs = 5000

/** A row of the list. A removed address keeps its row while the removal can be undone. */
export interface Row {
  ip: string
  removed: boolean
}

export function useWhitelist(pool: Pool) {
  const { t } = useTranslation('userPanel')
  const queries = useQueryClient()
  const list = query('get_whitelist_ips', { pool })
  const { data, isError, refetch } = useQuery({ ...list, staleTime: 0 })
  const states = query('get_whitelist_entries', { pool })
  const entries = useQuery({
    ...states,
    staleTime: 0,
    refetchInterval: ({ state }) => (waitingOf(state.data?.entries).size > 0 ? askAgainMs : false),
  })
  const { rows, hold, release } = useRemovedRows(data)
  const removal = useRef(Promise.resolve())
  const show = (ip: string) =>
    queries.setQueryData(list.queryKey, (ips) => (ips === undefined || ips.includes(ip) ? ips : [...ips, ip]))
  const reload = () => {
    for (const { queryKey } of [list, states]) void queries.invalidateQueries({ queryKey })
  }

  const add = useMutation({
    mutationFn: (ip: string) => call('add_ip_to_whitelist', { ip, pool }),
    onSuccess(_done, ip) {
      release(ip)
      show(ip)
      reload()
    },
    onError: (error) => toastFailure(error, t('whitelist.addFailed')),
  })
  const remove = useMutation({
    mutationFn: (ip: string) => call('remove_ip_from_whitelist', { ip, pool }),
    onMutate: hold,
    onError(error, ip) {
      release(ip)
      toastFailure(error, t('whitelist.removeFailed'))
    },
    onSettled: reload,
  })
  return {
    rows,
    waiting: waitingOf(entries.data?.entries),
    lost: entries.data?.lost ?? [],
    state: data !== undefined ? ('ready' as const) : isError ? ('failed' as const) : ('loading' as const),
    retry: () => void refetch(),
    /** Waits for the first load; a load that fails is shown by `state`. */
    settle: async () => {
      if (data !== undefined || isError) return
      await Promise.allSettled([queries.ensureQueryData(list), queries.ensureQueryData(states)])
    },
    /** The server's addresses that are not being removed, and the unproven of them. */
    known: () => ({
      ips: withoutRemoved(queries.getQueryData(list.queryKey), rows),
      waiting: waitingOf(queries.getQueryData(states.queryKey)?.entries),
    }),
    add,
    remove: (ip: string) => {
      // The mutation reports errors; this promise only settles.
      removal.current = settled(remove.mutateAsync(ip))
    },
    /** Stops showing a lost address. */
    forget: (ip: string) => {
      call('remove_ip_from_whitelist', { ip, pool }).then(reload, (error: unknown) =>
        toastFailure(error, t('whitelist.removeFailed')),
      )
    },
    restore: (ip: string) => {
      release(ip)
      show(ip)
      // Sent after the removal has ended, so that the removal cannot arrive last.
      void removal.current.then(() => add.mutate(ip))
    },
  }
}

const settled = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    () => undefined,
  )

type Entries = Output<'get_whitelist_entries'>['entries']

/** The unproven addresses, and when each is removed. */
function waitingOf(entries: Entries = []): ReadonlyMap<string, string> {
  return new Map(
    entries.flatMap(({ ip, expires_at }) => (expires_at === null ? [] : [[ip, expires_at] as const])),
  )
}

const withoutRemoved = (ips: readonly string[] = [], rows: readonly Row[]) =>
  ips.filter((ip) => !rows.some((row) => row.ip === ip && row.removed))

/** The addresses of the server, and at their former positions those whose removal can be undone. */
function useRemovedRows(ips: readonly string[] | undefined) {
  const [removed, setRemoved] = useState<readonly { ip: string; index: number }[]>([])
  const timers = useRef(new Map<string, ReturnType<typeof setTimeout>>())
  useEffect(() => {
    const running = timers.current
    return () => running.forEach((timer) => clearTimeout(timer))
  }, [])
  const release = (ip: string) => {
    clearTimeout(timers.current.get(ip))
    setRemoved((current) => current.filter((row) => row.ip !== ip))
  }
  const hold = (ip: string) => {
    const index = rows.findIndex((row) => row.ip === ip)
    setRemoved((current) => [...current, { ip, index }])
    timers.current.set(
      ip,
      setTimeout(() => release(ip), undoMs),
    )
  }
  const rows: Row[] = (ips ?? [])
    .filter((ip) => !removed.some((each) => each.ip === ip))
    .map((ip) => ({ ip, removed: false }))
  for (const { ip, index } of removed.toSorted((a, b) => a.index - b.index)) {
    rows.splice(Math.max(0, index), 0, { ip, removed: true })
  }
  return { rows, hold, release }
}
