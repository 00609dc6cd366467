const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u
const LEFT_TO_RIGHT_MARK = '\u200e'

/** `بناء #3`: a number after a name that is written from right to left would be rendered as `3#`, before it. */
export const inOrder = (text: string): string =>
  RIGHT_TO_LEFT.test(text) ? text.replace(/ #(?=\d)/g, ` ${LEFT_TO_RIGHT_MARK}#`) : text
