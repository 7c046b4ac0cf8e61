import { useTranslation } from '../../../state/i18n.ts'
import { Section } from '../../parts/section.tsx'
import { AccentField } from './accent-field.tsx'
import styles from './brand.module.css'
import { type Editor, Field } from './editor.tsx'
import { valueAt, withValueAt } from './paths.ts'
import { PictureField } from './picture-field.tsx'
import shop from './shop.module.css'

/** The text beside the logo follows the name while both are the same. */
function withNameBesideLogo(before: unknown, after: unknown): unknown {
  const isSame = valueAt(before, ['name']) === valueAt(before, ['logo_text'])
  return isSame ? withValueAt(after, ['logo_text'], valueAt(after, ['name'])) : after
}

export function BrandFields({ editor }: { editor: Editor }) {
  const { t } = useTranslation('deskShop')
  return (
    <>
      <div className={shop.both}>
        <Field
          editor={{ ...editor, set: (value) => editor.set(withNameBesideLogo(editor.value, value)) }}
          path={['name']}
          label={t('brand.name')}
          hint={t('brand.nameHint')}
        />
        <Field
          editor={editor}
          path={['logo_text']}
          label={t('brand.logoText')}
          hint={t('brand.logoTextHint')}
        />
      </div>
      <Section title={t('brand.pictures')}>
        <p className={styles.hint}>{t('brand.pictureHint')}</p>
        <div className={styles.pictures}>
          <PictureField editor={editor} slot="logo" theme="light" />
          <PictureField editor={editor} slot="logo_dark" theme="dark" />
          <PictureField editor={editor} slot="icon" theme="light" />
        </div>
      </Section>
      <Section title={t('brand.accent')}>
        <p className={styles.hint}>{t('brand.accentHint')}</p>
        <div className={shop.both}>
          <AccentField editor={editor} theme="light" />
          <AccentField editor={editor} theme="dark" />
        </div>
      </Section>
    </>
  )
}
