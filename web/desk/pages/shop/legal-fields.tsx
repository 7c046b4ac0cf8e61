/** The legal pages: their fields, and how visitors see them. */
import { useToldRead } from '../../state/told-read.ts'
import { type Language, languages } from '#contract/language'
import { type LegalPage, legalPages, legalPaths } from '#contract/legal/pages'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { LegalText } from '../../../ui/site/legal-text.tsx'
import { Section } from '../../parts/section.tsx'
import { query } from '../../state/api.ts'
import { type Editor, Field, InBoth } from './editor.tsx'
import type { ShopContent } from './content.parts.ts'
import { valueAt, withValueAt } from './paths.ts'
import styles from './shop.module.css'

type Legal = ShopContent['parts']['legal']
type Text = { title: string; text: string }

/** The texts that visitors see where none is published, with what the shop knows of the seller filled in. */
const useProposals = () => useToldRead(query('content', {})).data?.legal_drafts

export function LegalFields({ editor }: { editor: Editor }) {
  const { t } = useTranslation('deskShop')
  const without = valueAt(editor.value, ['without'])
  const left = Array.isArray(without) ? (without as LegalPage[]) : []
  const leaveOut = (page: LegalPage, isOut: boolean) =>
    editor.set(
      withValueAt(
        editor.value,
        ['without'],
        legalPages.filter((each) => (each === page ? isOut : left.includes(each))),
      ),
    )
  const proposals = useProposals()
  /** The pages and languages that have no text yet. */
  const unwritten = languages.flatMap((language) =>
    legalPages
      .filter((page) => !left.includes(page) && valueAt(editor.value, [language, page]) == null)
      .map((page) => [language, page] as const),
  )
  const takeDrafts = () =>
    editor.set(
      unwritten.reduce<unknown>(
        (value, path) => withValueAt(value, path, proposals?.[path[0]][path[1]]),
        editor.value,
      ),
    )
  return (
    <>
      <p className={styles.quiet}>{t('legal.about')}</p>
      {!editor.readOnly && unwritten.length > 0 && proposals !== undefined && (
        <div>
          <Button onClick={takeDrafts}>{t('legal.takeAll')}</Button>
          <p className={styles.quiet}>{t('legal.takeAllText')}</p>
        </div>
      )}
      {legalPages.map((page) => (
        <Section key={page} title={`${t(`legal.${page}`)} (${legalPaths[page]})`}>
          <label className={styles.leaveOut}>
            <input
              type="checkbox"
              checked={left.includes(page)}
              disabled={editor.readOnly}
              onChange={({ target }) => leaveOut(page, target.checked)}
            />
            <span>{t('legal.without')}</span>
          </label>
          {!left.includes(page) && (
            <InBoth>
              {(language) => <LegalPageFields editor={editor} language={language} page={page} />}
            </InBoth>
          )}
        </Section>
      ))}
    </>
  )
}

/** The fields of a page in one language, or a button that starts a text. */
function LegalPageFields({
  editor,
  language,
  page,
}: {
  editor: Editor
  language: Language
  page: LegalPage
}) {
  const { t } = useTranslation('deskShop')
  const proposal = useProposals()?.[language][page]
  const path = [language, page]
  const set = (value: Text | null) => editor.set(withValueAt(editor.value, path, value))
  if (valueAt(editor.value, path) == null)
    return (
      <>
        <p className={styles.quiet}>{t('legal.none')}</p>
        {!editor.readOnly && (
          <Button size="small" onClick={() => set(proposal ?? { title: '', text: '' })}>
            {t('legal.write')}
          </Button>
        )}
      </>
    )
  return (
    <>
      <Field editor={editor} path={[...path, 'title']} label={t('rules.title')} />
      <Field editor={editor} path={[...path, 'text']} label={t('rules.text')} area />
      {!editor.readOnly && (
        <Button size="small" variant="ghost" onClick={() => set(null)}>
          {t('legal.toDraft')}
        </Button>
      )}
    </>
  )
}

/**
 * The pages as visitors see them. A page without a text in this language shows the other language's text, or
 * else the draft.
 */
export function LegalSheet({ legal, language }: { legal: Legal; language: Language }) {
  const { t } = useTranslation('deskShop')
  const proposals = useProposals()
  const shown = legalPages
    .filter((page) => !legal.without.includes(page))
    .map((page) => {
      const own = legal[language][page] ?? legal[language === 'ru' ? 'en' : 'ru'][page]
      return { page, own, text: own ?? proposals?.[language][page] ?? null }
    })
  return shown.map(({ page, own, text }) =>
    text === null ? null : (
      <div key={page} className={styles.legal}>
        <p className={styles.heading}>{text.title}</p>
        {own === null && <p className={styles.quiet}>{t('legal.draft')}</p>}
        <LegalText text={text.text} />
      </div>
    ),
  )
}
