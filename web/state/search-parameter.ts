import { useEffect } from 'react'
import { useSearchParams } from 'react-router'
import { type Pool, pools } from '#contract/wire'

/** The pool that `?pool=…` names, if it is one. */
export function poolIn(search: URLSearchParams): Pool | undefined {
  return pools.find((pool) => pool === search.get('pool'))
}

/**
 * The query that the last call set, and the query that it started from: the address on the screen may not be
 * the new one yet.
 */
let asked: { from: string; next: URLSearchParams } | null = null

/**
 * The query of the address; a function that sets one of its parameters (null removes it), without a new
 * history entry and without scrolling; and a function that sets several. Calls before the next render add up.
 * The query is set synchronously: React may delay a transition while it is busy, and a field that shows the
 * parameter would return to its earlier value and lose what is typed meanwhile.
 */
export function useSearchParameter() {
  const [search, setSearch] = useSearchParams()
  useEffect(() => {
    if (asked?.from !== search.toString()) asked = null
  }, [search])
  const setParameters = (values: Readonly<Record<string, string | null>>) =>
    setSearch(
      (current) => {
        const from = current.toString()
        const next = new URLSearchParams(asked?.from === from ? asked.next : current)
        for (const [name, value] of Object.entries(values))
          if (value === null) next.delete(name)
          else next.set(name, value)
        asked = { from, next }
        return next
      },
      { replace: true, preventScrollReset: true, flushSync: true },
    )
  const setParameter = (name: string, value: string | null) => setParameters({ [name]: value })
  return [search, setParameter, setParameters] as const
}
