/** The list of one pool. Removing acts at once and can be taken back for five seconds. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { CallError } from '#contract/client'
import type { Output } from '#contract/contract'
import type { Pool } from '#contract/wire'
import { call, query } from '../../app/api.ts'
import { useTranslation } from '../../app/i18n.ts'
import { toast } from '../../app/toast.ts'

export const undoMs = 5000

/** While an address waits for its proof, it is looked whether that has come. */
const askAgainMs = 5000

/** A row of the list: one that was removed stays in its place as long as it can come back. */
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
  const standing = useQuery({
    ...states,
    staleTime: 0,
    refetchInterval: ({ state }) => (waitingOf(state.data?.entries).size > 0 ? askAgainMs : false),
  })
  const { rows, hold, release } = useRemoved(data)

  const removing = useRef(Promise.resolve())

  const say = (error: unknown, otherwise: string) => {
    if (error instanceof CallError && error.status === 401) return
    toast.error(error instanceof CallError && error.message !== '' ? error.message : otherwise)
  }
  const change = (next: (ips: string[]) => string[]) =>
    queries.setQueryData(list.queryKey, (ips) => (ips === undefined ? ips : next(ips)))
  const reload = () => {
    for (const { queryKey } of [list, states]) void queries.invalidateQueries({ queryKey })
  }

  const add = useMutation({
    mutationFn: (ip: string) => call('add_ip_to_whitelist', { ip, pool }),
    onSuccess(_done, ip) {
      release(ip)
      change((ips) => (ips.includes(ip) ? ips : [...ips, ip]))
      reload()
    },
    onError: (error) => say(error, t('whitelist.addFailed')),
  })
  const remove = useMutation({
    mutationFn: (ip: string) => call('remove_ip_from_whitelist', { ip, pool }),
    onMutate: hold,
    onError(error, ip) {
      release(ip)
      say(error, t('whitelist.removeFailed'))
    },
    onSettled: reload,
  })
  return {
    rows,
    waiting: waitingOf(standing.data?.entries),
    lost: standing.data?.lost ?? [],
    state: data !== undefined ? ('ready' as const) : isError ? ('failed' as const) : ('loading' as const),
    retry: () => void refetch(),
    add,
    remove: (ip: string) => {
      // How it ends is told by the mutation; here only that it has ended.
      removing.current = remove.mutateAsync(ip).then(
        () => undefined,
        () => undefined,
      )
    },
    /** An address that was lost needs no more to be shown. */
    forget: (ip: string) => {
      call('remove_ip_from_whitelist', { ip, pool }).then(reload, (error: unknown) =>
        say(error, t('whitelist.removeFailed')),
      )
    },
    restore: (ip: string) => {
      release(ip)
      change((ips) => (ips.includes(ip) ? ips : [...ips, ip]))
      // Sent after the removal, or the removal could come last.
      void removing.current.then(() => add.mutate(ip))
    },
  }
}

type Entries = Output<'get_whitelist_entries'>['entries']

/** The addresses that wait for a proof, and when each goes without one. */
function waitingOf(entries: Entries = []): ReadonlyMap<string, string> {
  return new Map(
    entries.flatMap(({ ip, expires_at }) => (expires_at === null ? [] : [[ip, expires_at] as const])),
  )
}

/** The rows to show: those of the server, and among them, in their old places, those that can still come back. */
function useRemoved(ips: readonly string[] | undefined) {
  const [removed, setRemoved] = useState<readonly { ip: string; index: number }[]>([])
  const timers = useRef(new Map<string, ReturnType<typeof setTimeout>>())
  useEffect(() => {
    const running = timers.current
    return () => running.forEach((timer) => clearTimeout(timer))
  }, [])
  const release = (ip: string) => {
    clearTimeout(timers.current.get(ip))
    setRemoved((now) => now.filter((each) => each.ip !== ip))
  }
  const hold = (ip: string) => {
    const index = rows.findIndex((row) => row.ip === ip)
    setRemoved((now) => [...now, { ip, index }])
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
