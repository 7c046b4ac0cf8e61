/** The shop's notice to all customers: its text in both languages, and when it is shown. */
import type { Content } from '#contract/desk/content'
import { type Language } from '#contract/language'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { localOf, timeOfLocal } from '../../parts/local-time.ts'
import { Moment } from '../../parts/moment.tsx'
import { type Editor, Field, InBoth } from './editor.tsx'
import { valueAt, withValueAt } from './paths.ts'
import styles from './shop.module.css'

const noNotice: Content['notice'] = { ru: null, en: null, starts_at: null, ends_at: null }

export function NoticeFields({ editor }: { editor: Editor }) {
  const { t } = useTranslation('deskShop')
  return (
    <>
      <p className={styles.quiet}>{t('notice.about')}</p>
      <InBoth>
        {(language) => <Field editor={editor} path={[language]} label={t('notice.text')} nullable area />}
      </InBoth>
      <div className={styles.both}>
        <TimeField
          editor={editor}
          field="starts_at"
          label={t('notice.startsAt')}
          hint={t('notice.emptyNow')}
        />
        <TimeField editor={editor} field="ends_at" label={t('notice.endsAt')} hint={t('notice.emptyOpen')} />
      </div>
      {!editor.readOnly && (
        <Button size="small" variant="ghost" onClick={() => editor.set(noNotice)}>
          {t('notice.clear')}
        </Button>
      )}
    </>
  )
}

interface TimeFieldProps {
  editor: Editor
  field: 'starts_at' | 'ends_at'
  label: string
  hint: string
}

/** A time, typed in the zone of the browser and kept with its zone. */
function TimeField({ editor, field, label, hint }: TimeFieldProps) {
  const value = valueAt(editor.value, [field])
  return (
    <TextField
      type="datetime-local"
      label={label}
      hint={hint}
      error={editor.fault?.field === field ? editor.fault.text : undefined}
      value={localOf(typeof value === 'string' ? value : null)}
      readOnly={editor.readOnly}
      autoComplete="off"
      onChange={({ target }) => editor.set(withValueAt(editor.value, [field], timeOfLocal(target.value)))}
    />
  )
}

export function NoticeSheet({ notice, language }: { notice: Content['notice']; language: Language }) {
  const { t } = useTranslation('deskShop')
  const { [language]: text, starts_at: starts, ends_at: ends } = notice
  if (text === null) return <p className={styles.quiet}>{t('notice.none')}</p>
  return (
    <>
      <p>{text}</p>
      {starts !== null && (
        <p className={styles.quiet}>
          <span>{t('notice.startsAt')}</span> <Moment iso={starts} />
        </p>
      )}
      {ends !== null && (
        <p className={styles.quiet}>
          <span>{t('notice.endsAt')}</span> <Moment iso={ends} />
        </p>
      )}
    </>
  )
}
