/** The shop's notice to all customers, which may begin and end while a page is open. */
import { useEffect, useRef, useState } from 'react'
import { periodState, untilNextChange } from '#contract/content/period'
import { useLanguage } from '../state/i18n.ts'
import { rereadSite, type Site, useSite } from '../state/site.ts'

type Notice = NonNullable<Site['notice']>

const rereadEveryMs = 300_000
/** The longest random delay of a read: all open pages reach a start or an end at the same time. */
const spreadMs = 20_000
/** The longest delay that timers accept. */
const longestTimerMs = 2 ** 31 - 1

const isShownNow = (notice: Notice) => periodState(notice, Date.now()) === 'shown'

/**
 * The text of the notice that is shown now; null: none. The server says whether it is shown, so that
 * hydration starts from the rendered state and a wrong clock does no lasting harm. While the page is open,
 * the browser's clock decides when the notice starts and ends, since the server may be down then.
 */
export function useNotice(): string | null {
  const language = useLanguage()
  const notice = useSite()?.notice ?? null
  const [turned, setTurned] = useState<{ of: Notice; shown: boolean } | null>(null)
  const hasAsked = useRef(false)
  useEffect(() => {
    if (notice === null) return
    // The page may have been rendered before a start or an end.
    if (!hasAsked.current && isShownNow(notice) !== notice.shown) {
      hasAsked.current = true
      rereadSite(language)
    }
    let asking: ReturnType<typeof setTimeout> | undefined
    let turning: ReturnType<typeof setTimeout> | undefined
    const waitForChange = () => {
      const waitMs = untilNextChange(notice, Date.now())
      if (waitMs === null || waitMs > longestTimerMs) return
      turning = setTimeout(() => {
        setTurned({ of: notice, shown: isShownNow(notice) })
        asking = setTimeout(() => rereadSite(language), 1000 + Math.random() * spreadMs)
        waitForChange()
      }, waitMs)
    }
    waitForChange()
    return () => {
      clearTimeout(turning)
      clearTimeout(asking)
    }
  }, [notice, language])
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') rereadSite(language)
    }, rereadEveryMs)
    return () => clearInterval(timer)
  }, [language])
  if (notice === null) return null
  return (turned?.of === notice ? turned.shown : notice.shown) ? notice.text : null
}
