import { useFigures } from './use-figures.ts'

interface MomentProps {
  iso: string
  /** Without the year. */
  recent?: boolean
  /** To the second, as complaints need it. */
  exact?: boolean
}

/** A time in the zone of the browser; on hover it shows UTC, as in logs. */
export function Moment({ iso, recent = false, exact = false }: MomentProps) {
  const { time, recent: short, exact: full } = useFigures()
  return (
    <time dateTime={iso} title={iso}>
      {exact ? full(iso) : recent ? short(iso) : time(iso)}
    </time>
  )
}
