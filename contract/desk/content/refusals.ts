/** The refusals of changes of the shop's public content. */
export const contentRefusals = {
  content_empty: {
    status: 422,
    ru: 'Поле не может быть пустым ({field}).',
    en: 'This must not be empty ({field}).',
  },
  content_long: {
    status: 422,
    ru: 'Слишком длинно: не больше {most} ({field}).',
    en: 'This is too long: at most {most} ({field}).',
  },
  content_link: {
    status: 422,
    ru: 'Ссылка должна начинаться с https://, tg://, mailto: или с косой черты: /путь ({field}).',
    en: 'A link must start with https://, tg://, mailto: or a slash: /path ({field}).',
  },
  content_html: {
    status: 422,
    ru: 'Можно только p, br, b, i, strong, em, ul, ol, li, code и <a href="https://…"> ({field}).',
    en: 'Only p, br, b, i, strong, em, ul, ol, li, code and <a href="https://…"> are allowed ({field}).',
  },
  content_line: {
    status: 422,
    ru: 'Только одна строка, без переносов и невидимых знаков ({field}).',
    en: 'Use a single line, without line breaks or invisible characters ({field}).',
  },
  content_colour: {
    status: 422,
    ru: 'Цвет — решётка и шесть цифр от 0 до f, например #0a5cff ({field}).',
    en: 'A colour must be # and six digits from 0 to f, such as #0a5cff ({field}).',
  },
  content_contrast: {
    status: 422,
    ru: 'С этим цветом текст или кнопку не разглядеть: контраст {ratio}, нужно {least}. Ближайший подходящий — {nearest} ({field}).',
    en: 'Text or a button would be unreadable in this colour: the contrast is {ratio}, and {least} is needed. The nearest colour that works is {nearest} ({field}).',
  },
  content_logo: {
    status: 422,
    ru: 'Сначала загрузите логотип для светлой темы ({field}).',
    en: 'Upload the logo for the light theme first ({field}).',
  },
  content_square: {
    status: 422,
    ru: 'Значок должен быть квадратным ({field}).',
    en: 'The icon must be square ({field}).',
  },
  content_picture: {
    status: 422,
    ru: 'Картинки уже нет: загрузите её снова ({field}).',
    en: 'The picture is no longer stored. Upload it again ({field}).',
  },
  picture_not_found: { status: 404, ru: 'Такой картинки нет.', en: 'There is no such picture.' },
  content_letters: {
    status: 422,
    ru: 'Есть знаки, которых нет в шрифте документов: напишите латиницей или кириллицей ({field}).',
    en: 'This contains characters that cannot be printed in documents. Use Latin or Cyrillic letters ({field}).',
  },
  content_time: {
    status: 422,
    ru: 'Укажите дату и время целиком ({field}).',
    en: 'Enter a complete date and time ({field}).',
  },
  content_period: {
    status: 422,
    ru: 'Окончание должно быть позже начала ({field}).',
    en: 'The end must be after the start ({field}).',
  },
  content_other: {
    status: 422,
    ru: 'Так опубликовать нельзя ({field}).',
    en: 'This cannot be published ({field}).',
  },
  content_changed: {
    status: 409,
    ru: 'Этот раздел уже опубликовал другой сотрудник. Посмотрите на него ещё раз.',
    en: 'Another member of staff has published this section in the meantime. Look at it again.',
  },
  draft_changed: {
    status: 409,
    ru: 'Другой сотрудник тем временем изменил или удалил черновик. Посмотрите на него ещё раз.',
    en: 'Another member of staff has changed or removed the draft in the meantime. Look at it again.',
  },
  draft_not_found: { status: 404, ru: 'Такого черновика нет.', en: 'There is no such draft.' },
  version_not_found: { status: 404, ru: 'Такой версии нет.', en: 'There is no such version.' },
  banner_kind: {
    status: 422,
    ru: 'Нужна картинка PNG, JPEG, WebP, GIF или AVIF. SVG нельзя: в нём могут быть скрипты.',
    en: 'The picture must be PNG, JPEG, WebP, GIF or AVIF. SVG is not accepted: it can contain scripts.',
  },
  banner_bytes: {
    status: 422,
    ru: 'Картинка больше 1 МиБ. Сожмите её.',
    en: 'The picture is larger than 1 MiB. Compress it.',
  },
  banner_changed: {
    status: 409,
    ru: 'Этот баннер уже изменил другой сотрудник. Посмотрите на него ещё раз.',
    en: 'Another member of staff has changed this banner in the meantime. Look at it again.',
  },
}
