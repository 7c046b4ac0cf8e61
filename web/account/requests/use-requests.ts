import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useReducer, useRef, useState } from 'react'
import { type LiveEvents, liveRequestsPath } from '#contract/requests/live'
import type { ListedRequest } from '#contract/requests/schemas'
import { call } from '../../state/api.ts'
import { pagesKey } from '../../state/reads/pages-key.ts'
import { readEvents } from './event-stream.ts'
import { type Filters, fits, inputOf, merged } from './filters.ts'

/**
 * The maximum number of new requests that are shown before the list is loaded again, so that the page stays
 * responsive.
 */
const mostFresh = 500
/** The list on the server reaches no further back. */
const mostListed = 10_000
/** Many requests can arrive in a second; the list is rendered at this interval. */
const drawEveryMs = 250

/**
 * The requests that fit, the newest first: those of the list, and those that have come since, unless it is
 * paused.
 */
export function useRequests(filters: Filters) {
  const key = JSON.stringify(filters)
  const list = useInfiniteQuery({
    queryKey: pagesKey('get_requests', key),
    queryFn: ({ pageParam, signal }) =>
      call('get_requests', inputOf(filters, pageParam, Date.now()), { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }, pages) => (pages.length * 100 < mostListed ? next : null),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const position = list.data?.pages[0]?.position
  const { fresh, waiting, isOpen, isPartial, isPaused, setPaused } = useFresh(position, filters, key)
  const requests = useMemo(
    () => merged(fresh, list.data?.pages.flatMap((page) => page.requests) ?? []),
    [fresh, list.data],
  )
  return { list, requests, waiting, isOpen, isPartial, isPaused, setPaused }
}

interface Fresh {
  fresh: readonly ListedRequest[]
  /** The requests since the pause. */
  waiting: readonly ListedRequest[]
  /** Some requests were omitted. */
  isPartial: boolean
}

type Change = 'start' | 'partial' | 'resume' | { news: readonly ListedRequest[]; isPaused: boolean }

const nothing: Fresh = { fresh: [], waiting: [], isPartial: false }

/** The list after new requests have arrived. */
export function afterChange(state: Fresh, change: Change): Fresh {
  if (change === 'start') return nothing
  if (change === 'partial') return { ...state, isPartial: true }
  const { fresh, waiting } = state
  if (change === 'resume') return { ...state, fresh: merged(waiting, fresh).slice(0, mostFresh), waiting: [] }
  const list = change.isPaused ? 'waiting' : 'fresh'
  const all = merged(change.news, state[list])
  return {
    ...state,
    [list]: all.slice(0, mostFresh),
    isPartial: state.isPartial || all.length > mostFresh,
  }
}

/** The requests since a position. */
function useFresh(position: string | undefined, filters: Filters, key: string) {
  const [{ fresh, waiting, isPartial }, change] = useReducer(afterChange, nothing)
  const [isOpen, setOpen] = useState(false)
  const [isPaused, setIsPaused] = useState(false)
  const paused = useRef(false)
  const current = useRef(filters)
  useEffect(() => {
    current.current = filters
  })
  useEffect(() => {
    change('start')
    if (position === undefined) return
    const abort = new AbortController()
    let came: ListedRequest[] = []
    const draw = () => {
      if (came.length === 0) return
      change({ news: came, isPaused: paused.current })
      came = []
    }
    const timer = setInterval(draw, drawEveryMs)
    const handlers: { [Event in keyof LiveEvents]: (data: LiveEvents[Event]) => void } = {
      requests(news) {
        if (news.is_partial) change('partial')
        came = [...news.requests.filter((one) => fits(one, current.current)), ...came]
      },
    }
    void readEvents(liveRequestsPath, {
      after: position,
      signal: abort.signal,
      onOpen: setOpen,
      onEvent({ type, data }) {
        if (Object.hasOwn(handlers, type)) handlers[type as keyof LiveEvents](JSON.parse(data) as never)
      },
    })
    return () => {
      clearInterval(timer)
      abort.abort()
      setOpen(false)
    }
  }, [position, key])
  const setPaused = (pause: boolean) => {
    paused.current = pause
    setIsPaused(pause)
    if (!pause) change('resume')
  }
  return { fresh, waiting: waiting.length, isOpen, isPartial, isPaused, setPaused }
}
