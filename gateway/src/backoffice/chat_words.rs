//! Words of the staff that do not reach a user: passwords, codes and keys, which nobody here ever asks for.
//!
//! Owns: the list, by language. Never does: judge a sentence: who warns of passwords in words of their own is stopped too, and takes a
//! canned answer. Invariants: letters of either case and what stands between words make no difference. Known limits: it stops the careless;
//! who means to get around it can, and what they said stays.

/// Whole words and phrases of languages that put spaces between words: en, spa, fra, tr, vi.
const SPACED: &[&str] = &[
    "password",
    "passwords",
    "passcode",
    "verification code",
    "verification codes",
    "security codes",
    "one time codes",
    "authenticator codes",
    "private keys",
    "secret keys",
    "códigos de verificación",
    "códigos de seguridad",
    "códigos de recuperación",
    "codes de vérification",
    "codes de sécurité",
    "code de secours",
    "codes de secours",
    "clés privées",
    "kurtarma kodları",
    "kurtarma kodunu",
    "kurtarma kodunuz",
    "security code",
    "sms code",
    "mail code",
    "email code",
    "one time code",
    "authenticator code",
    "2fa code",
    "otp",
    "recovery code",
    "recovery codes",
    "recovery phrase",
    "seed phrase",
    "mnemonic",
    "private key",
    "secret key",
    "pin",
    "cvv",
    "contraseña",
    "contraseñas",
    "clave",
    "claves",
    "código de verificación",
    "código de seguridad",
    "frase semilla",
    "código de recuperación",
    "mot de passe",
    "mots de passe",
    "code de vérification",
    "code de sécurité",
    "clé privée",
    "phrase de récupération",
    "code de récupération",
    "şifre",
    "şifreniz",
    "şifrenizi",
    "parola",
    "parolanız",
    "parolanızı",
    "doğrulama kodu",
    "doğrulama kodunu",
    "özel anahtar",
    "kurtarma kodu",
    "mật khẩu",
    "mã xác minh",
    "mã xác thực",
    "mã otp",
    "khóa riêng tư",
    "cụm từ khôi phục",
    "mã khôi phục",
];

/// Phrases of languages that do not, and of Korean, whose words have endings: zh, hk, jp, kr, th.
const JOINED: &[&str] = &[
    "密码",
    "验证码",
    "动态码",
    "私钥",
    "助记词",
    "恢复码",
    "密碼",
    "驗證碼",
    "動態碼",
    "私鑰",
    "助記詞",
    "恢復碼",
    "復原碼",
    "パスワード",
    "暗証番号",
    "認証コード",
    "確認コード",
    "秘密鍵",
    "リカバリーコード",
    "シードフレーズ",
    "비밀번호",
    "인증번호",
    "인증코드",
    "개인키",
    "복구코드",
    "시드구문",
    "รหัสผ่าน",
    "รหัสยืนยัน",
    "รหัสกู้คืน",
    "คีย์ส่วนตัว",
    "รหัสotp",
];

/// The first of these words that a text has.
#[must_use]
pub(super) fn secret_word(text: &str) -> Option<&'static str> {
    // What nobody sees splits no word.
    let seen: String =
        text.chars().filter(|c| !matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')).collect();
    let letters = |c: char| c.is_alphanumeric() || is_mark(c);
    let lower = seen.to_lowercase();
    let words: Vec<&str> = lower.split(|c| !letters(c)).filter(|word| !word.is_empty()).collect();
    let (spaced, joined) = (format!(" {} ", words.join(" ")), words.concat());
    let spaced_word = SPACED.iter().find(|word| spaced.contains(&format!(" {word} ")));
    spaced_word.or_else(|| JOINED.iter().find(|word| joined.contains(*word))).copied()
}

/// Marks that belong to the letter before: accents, vowels and tones of Thai.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_asks_for_a_secret_is_found_in_every_language() {
        for text in [
            "Please send me your PASSWORD.",
            "pass\u{200b}word?",
            "the one-time code, please",
            "Tell me your seed  phrase",
            "请把验证码发给我",
            "請提供您的密碼",
            "パスワードを教えてください",
            "비밀번호를 알려 주세요",
            "인증 코드를 보내 주세요",
            "Envíeme su contraseña",
            "Donnez-moi votre mot de passe",
            "กรุณาแจ้งรหัสผ่าน",
            "Şifrenizi yazın",
            "Cho tôi mật khẩu",
            "your verification codes",
            "Envoyez vos codes de secours",
            "請提供您的復原碼",
        ] {
            assert!(secret_word(text).is_some(), "{text}");
        }
        for text in ["Which error code do you see?", "We take the footpath", "Your deposit has arrived.", "请稍候", ""]
        {
            assert_eq!(secret_word(text), None, "{text}");
        }
    }
}
