/** The choice that opens the generator with the settings of a typed command. */
import { useMemo, useState } from 'react'
import { countryName } from '#contract/countries'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import type { PaletteChoice } from '../../ui/palette/palette.tsx'
import { panelHref } from '../panel/requested.ts'
import { isCommand, readCommand } from './command.ts'
import { countryFinder } from './country-finder.ts'

export interface Choice extends PaletteChoice {
  /** Null: signs out. */
  to: string | null
}

/** Null when the text is not a command. */
export function useCommand(typed: string) {
  const { t } = useTranslation(['palette', 'header'])
  const language = useLanguage()
  const [finder] = useState(countryFinder)
  return useMemo((): { choice: Choice; isDoubtful: boolean } | null => {
    const command = readCommand(typed, finder)
    if (!isCommand(command)) return null
    const { countries, pool, session, minutes, lines, unknown } = command
    const parts = [
      ...countries.map((code) => countryName(code, language)),
      ...(pool === undefined ? [] : [t(`header:pools.${pool}`)]),
      ...(session === undefined ? [] : [t(`palette:${session}`)]),
      ...(minutes === undefined ? [] : [t('palette:minutes', { count: minutes })]),
      ...(lines === undefined ? [] : [t('palette:lines', { count: lines })]),
    ]
    const ignored = unknown.length === 0 ? null : t('palette:ignored', { words: unknown.join(', ') })
    return {
      choice: {
        key: 'command',
        title: `${t('palette:generator')}: ${parts.join(' · ')}`,
        note: ignored ?? t('palette:saved'),
        to: panelHref(command),
      },
      isDoubtful: unknown.length > 0,
    }
  }, [finder, language, t, typed])
}
