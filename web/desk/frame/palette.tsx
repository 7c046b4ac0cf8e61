import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useNavigate } from 'react-router'
import { useTranslation } from '../../state/i18n.ts'
import { matching } from '../../ui/palette/matching.ts'
import { Palette as Frame, type PaletteChoice } from '../../ui/palette/palette.tsx'
import { Fault } from '../parts/loaded.tsx'
import { query } from '../state/api.ts'
import { useMay } from '../state/session.ts'
import { actsOn, addressOfHit, shortestSearch, textWithoutAct } from './palette-search.ts'
import { pages } from './pages.ts'

interface Choice extends PaletteChoice {
  to: string
}

const typingPauseMs = 150
/** The number of found customers for whom acts are offered. */
const mostActed = 3

/** A debounced text. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), typingPauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return paused
}

/** The command palette: pages by their names, and results of the server's search. */
export function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('desk')
  const may = useMay()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const wanted = textWithoutAct(typed, (act) => t(`palette.act.${act}`))
  const text = usePaused(wanted)
  const found = useQuery({
    ...query('find', { text }),
    enabled: may('find') && text.length >= shortestSearch,
    placeholderData: (before) => (text.length >= shortestSearch ? before : undefined),
  })
  const choices = useMemo((): Choice[] => {
    const named = pages
      .filter(({ needs }) => may(needs))
      .map(({ path, name }) => ({ path, title: t(`page.${name}`) }))
    const own = [...named, { path: '/me', title: t('page.me') }]
    const people = (found.data ?? []).filter(({ kind }) => kind === 'customer').slice(0, mostActed)
    return [
      ...actsOn(people, typed, may, (act) => t(`palette.act.${act}`)),
      ...(found.data ?? []).map((hit) => ({
        key: `${hit.kind}-${hit.id}`,
        title: hit.title,
        note: `${t(`palette.kind.${hit.kind}`)} · ${t(`palette.by.${hit.by}`)}`,
        to: addressOfHit(hit),
      })),
      ...matching(own, typed).map(({ path, title }) => ({
        key: path,
        title,
        note: t('palette.page'),
        to: path,
      })),
    ]
  }, [found.data, may, t, typed])
  const isNothingFound = choices.length === 0 && !found.isFetching && text === wanted
  return (
    <Frame
      typed={typed}
      choices={choices}
      labels={{
        title: t('palette.title'),
        close: t('close'),
        field: t('palette.label'),
        results: t('palette.results'),
      }}
      onType={setTyped}
      onChoose={({ to }) => void navigate(to)}
      onClose={onClose}
    >
      {isNothingFound && <p>{t('palette.nothing')}</p>}
      {found.error !== null && <Fault text={found.error.message} />}
    </Frame>
  )
}
