import { useFigures } from './use-figures.ts'

/** A time in the zone of the browser; on hover in UTC, as logs have it. */
export function Moment({ iso, recent = false }: { iso: string; recent?: boolean }) {
  const { time, recent: short } = useFigures()
  return (
    <time dateTime={iso} title={iso}>
      {recent ? short(iso) : time(iso)}
    </time>
  )
}
