import { Badge, type Tone } from '../../parts/badge.tsx'
import { useVerdictName } from '../../subjects/verdict-name.ts'

const good = new Set<string>(['credited'])
const quiet = new Set<string>(['cancelled', 'waiting', 'known_payment', 'ignored', 'stale'])

const toneOf = (verdict: string): Tone =>
  good.has(verdict) ? 'good' : quiet.has(verdict) ? 'quiet' : verdict === 'forged' ? 'bad' : 'warning'

/** The verdict on a notification. */
export function Verdict({ verdict }: { verdict: string | null }) {
  const verdictName = useVerdictName()
  return <Badge tone={verdict === null ? 'warning' : toneOf(verdict)}>{verdictName(verdict)}</Badge>
}
