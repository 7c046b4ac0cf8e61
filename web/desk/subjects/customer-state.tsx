import { useTranslation } from '../../state/i18n.ts'
import { Badge, type Tone } from '../parts/badge.tsx'

const tones = {
  active: 'good',
  unconfirmed: 'quiet',
  blocked: 'bad',
  erasure_asked: 'warning',
  erased: 'quiet',
} as const satisfies Record<string, Tone>

export function CustomerState({ state }: { state: keyof typeof tones }) {
  const { t } = useTranslation('deskPages')
  return <Badge tone={tones[state]}>{t(`customerState.${state}`)}</Badge>
}
