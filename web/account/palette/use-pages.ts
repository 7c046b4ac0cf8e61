/** The pages of the account and the anchors of the documentation, by their names. */
import { useMemo } from 'react'
import subjects from 'virtual:api-index'
import { localPath } from '#contract/pages'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { placeOf, tabHref, tabs } from '#contract/account-tabs'
import { docsAnchors } from './docs-anchors.ts'
import type { Choice } from './use-command.ts'

type Entry = Choice & { words?: string }

/** The tabs, the pages beside them, and signing out. */
export function usePages(): Entry[] {
  const { t } = useTranslation(['palette', 'userBtns'])
  const language = useLanguage()
  return useMemo(() => {
    const note = t('palette:page')
    const entry = (name: 'purchase' | 'promocode' | 'home' | 'docs', to: string): Entry => ({
      key: name,
      title: name === 'docs' ? t('palette:docsTitle') : t(`palette:${name}`),
      words: t(`palette:words.${name}`),
      note,
      to: localPath(to, language),
    })
    return [
      ...tabs.map((tab) => ({
        key: tab,
        title: t(`userBtns:title.${tab}`),
        words: `${t(`userBtns:place.${placeOf(tab)}`)} ${t(`palette:words.${tab}`)}`,
        note,
        to: tabHref(tab),
      })),
      entry('purchase', '/purchase'),
      entry('promocode', '/promocode'),
      entry('docs', '/docs'),
      entry('home', '/'),
      {
        key: 'sign-out',
        title: t('palette:signOut'),
        words: t('palette:words.signOut'),
        note: t('palette:action'),
        to: null,
      },
    ]
  }, [language, t])
}

/** The sections and the calls of the documentation. */
export function useDocs(): Entry[] {
  const { t } = useTranslation(['palette', 'docs'])
  const language = useLanguage()
  return useMemo(() => {
    const docs = localPath('/docs', language)
    return [
      ...docsAnchors.map(({ id, title }) => ({
        key: `docs-${id}`,
        title: t(`docs:${title}`),
        note: t('palette:docs'),
        to: `${docs}#${id}`,
      })),
      ...subjects.flatMap(({ calls }) =>
        calls.map(({ name, summary }) => ({
          key: `call-${name}`,
          title: summary[language],
          words: name,
          note: `${t('palette:call')} ${name}`,
          to: `${docs}#${name}`,
        })),
      ),
    ]
  }, [language, t])
}
