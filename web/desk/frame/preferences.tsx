import { useState } from 'react'
import { Link } from 'react-router'
import { useTranslation } from '../../state/i18n.ts'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { LanguageChoice } from '../entry/language-choice.tsx'
import { signOut, useSession } from '../state/session.ts'
import { chooseTheme, storedTheme, themes } from '../state/theme.ts'
import { Fault } from '../parts/loaded.tsx'
import styles from './preferences.module.css'

function ThemeChoice() {
  const { t } = useTranslation('desk')
  const [theme, setTheme] = useState(storedTheme)
  return (
    <SelectField
      label={t('theme.label')}
      labelHidden
      value={theme}
      options={themes.map((value) => ({ value, label: t(`theme.${value}`) }))}
      onChange={(next) => {
        chooseTheme(next)
        setTheme(next)
      }}
    />
  )
}

/** The member's name, the language, the theme, and the sign-out button. */
export function Preferences() {
  const { t } = useTranslation('desk')
  const session = useSession()
  const [fault, setFault] = useState<string>()
  const leave = () => signOut(session).catch((error: unknown) => setFault(String((error as Error).message)))
  return (
    <div className={styles.preferences}>
      <div className={styles.choices}>
        <LanguageChoice />
        <ThemeChoice />
      </div>
      <div className={styles.member}>
        <Link to="/me" className={styles.name}>
          <span>{session.member.name}</span>
          <span className={styles.role}>{t(`role.${session.member.role}`)}</span>
        </Link>
        <button type="button" className={styles.out} onClick={() => void leave()}>
          {t('signOut')}
        </button>
      </div>
      {fault !== undefined && <Fault text={fault} />}
    </div>
  )
}
