import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { ListedRequest, RequestNews } from '#contract/schemas.requests'
import { liveRequestsPath } from '#contract/wire'
import { call } from '../../state/api.ts'
import { readEvents } from './event-stream.ts'
import { type Filters, fits, inputOf, merged } from './filters.ts'

/** More new requests are left out until the list is loaded again: the page stays smooth. */
const mostFresh = 500
/** The list on the server reaches no further back. */
const mostListed = 10_000
/** Many come in a second; the list is drawn this often. */
const drawEveryMs = 250

/** The requests that fit, the newest first: those of the list, and those that have come since, unless it is paused. */
export function useRequests(filters: Filters) {
  const key = JSON.stringify(filters)
  const list = useInfiniteQuery({
    queryKey: ['get_requests', key] as const,
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

/** What has come since a position. */
function useFresh(position: string | undefined, filters: Filters, key: string) {
  const [fresh, setFresh] = useState<readonly ListedRequest[]>([])
  const [waiting, setWaiting] = useState<readonly ListedRequest[]>([])
  const [isOpen, setOpen] = useState(false)
  const [isPartial, setPartial] = useState(false)
  const [isPaused, setIsPaused] = useState(false)
  const paused = useRef(false)
  const current = useRef(filters)
  useEffect(() => {
    current.current = filters
  })
  useEffect(() => {
    setFresh([])
    setWaiting([])
    setPartial(false)
    if (position === undefined) return
    const abort = new AbortController()
    let came: ListedRequest[] = []
    const draw = () => {
      if (came.length === 0) return
      const news = came
      came = []
      const add = (known: readonly ListedRequest[]) => {
        if (known.length + news.length > mostFresh) setPartial(true)
        return merged(news, known).slice(0, mostFresh)
      }
      if (paused.current) setWaiting(add)
      else setFresh(add)
    }
    const timer = setInterval(draw, drawEveryMs)
    void readEvents(liveRequestsPath, {
      after: position,
      signal: abort.signal,
      onOpen: setOpen,
      onEvent({ type, data }) {
        if (type !== 'requests') return
        const news = JSON.parse(data) as RequestNews
        if (news.is_partial) setPartial(true)
        came = [...news.requests.filter((one) => fits(one, current.current)), ...came]
      },
    })
    return () => {
      clearInterval(timer)
      abort.abort()
      setOpen(false)
    }
  }, [position, key])
  const setPaused = useCallback(
    (pause: boolean) => {
      paused.current = pause
      setIsPaused(pause)
      if (pause) return
      setFresh((known) => merged(waiting, known).slice(0, mostFresh))
      setWaiting([])
    },
    [waiting],
  )
  return { fresh, waiting: waiting.length, isOpen, isPartial, isPaused, setPaused }
}
