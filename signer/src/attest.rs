//! Statements of reserves: a key of the exchange says that it belongs to a statement.
//!
//! Owns: the message, its form on Bitcoin (BIP-322, simple) and on EVM chains (EIP-191), in code of its own: the signer does not
//! trust the exchange's. Never does: sign a text of somebody
//! else; look at what the statement says. Invariants: what is signed here is no transaction of any chain; the message is made
//! of 32 bytes and nothing more, so no other text can be signed. Known limits: who steals the exchange has false statements
//! signed, but moves no coin with them; a node shows what they are worth. Rules: `docs/custody.md "Statements of reserves"`.

#[cfg(test)]
mod tests;

use crate::evm::keccak;
use crate::keys::{Key, KeyError, Keys};
use crate::policy::Policy;
use crate::protocol::{Answer, Attestation, Form, Refusal, Statement};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bitcoin::absolute::LockTime;
use bitcoin::hashes::{Hash, HashEngine, sha256};
use bitcoin::hex::DisplayHex;
use bitcoin::opcodes::all::OP_RETURN;
use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint, ScriptBuf, Sequence, Transaction, TxIn, TxOut, Witness, consensus};

const TAG: &[u8] = b"BIP0322-signed-message";
/// What EIP-191 adds to the odd or even point of a signature.
const V: u8 = 27;

/// The answer. Nothing is written to the log, which says what may not be signed again: no coin moves by this, and the same
/// key may sign any number of statements.
pub(crate) fn answer(of: &Attestation, keys: &Keys, policy: &Policy) -> Answer {
    match decide(of, keys, policy) {
        Ok(signature) => Answer::Attested { signature },
        Err(refusal) => refusal.into(),
    }
}

fn decide(of: &Attestation, keys: &Keys, policy: &Policy) -> Result<String, Refusal> {
    if of.chain == Form::Evm && policy.evm.is_none() {
        return Err(Refusal::WrongChain);
    }
    if of.key.ring >= policy.rings {
        return Err(Refusal::ForeignKey);
    }
    let text = message(of.statement);
    let signature = match of.chain {
        Form::Bitcoin => of_bitcoin(keys, of.key, &text),
        Form::Evm => of_evm(keys, of.key, &text),
    };
    signature.map_err(|_| Refusal::ForeignKey)
}

/// The one text that this program signs beside transactions.
fn message(Statement(id): Statement) -> String {
    format!("Statement of reserves {}", id.to_lower_hex_string())
}

/// The witness of the standard's virtual transaction, in base64.
fn of_bitcoin(keys: &Keys, key: Key, text: &str) -> Result<String, KeyError> {
    let signed = keys.sign(virtual_transaction(keys.script(key)?, text), &[(key, Amount::ZERO)])?;
    signed.input.first().map(|input| encoded(&input.witness)).ok_or(KeyError::Sign)
}

/// Base64 of the bytes that a transaction has of it.
fn encoded(witness: &Witness) -> String {
    STANDARD.encode(consensus::serialize(witness))
}

/// What is signed for a text. It spends an output of a transaction that no chain takes: one without inputs of its own, as a
/// block's first, that does not begin with its block's height.
fn virtual_transaction(script: ScriptBuf, text: &str) -> Transaction {
    let of = |previous_output: OutPoint, script_sig: ScriptBuf, script_pubkey: ScriptBuf| Transaction {
        version: Version(0),
        lock_time: LockTime::ZERO,
        input: vec![TxIn { previous_output, script_sig, sequence: Sequence::ZERO, witness: Witness::new() }],
        output: vec![TxOut { value: Amount::ZERO, script_pubkey }],
    };
    // An empty push, then a push of the 32 bytes.
    let mut pushes = vec![0, 32];
    pushes.extend_from_slice(&text_hash(text));
    let to_spend = of(OutPoint::null(), ScriptBuf::from_bytes(pushes), script);
    let spends = OutPoint { txid: to_spend.compute_txid(), vout: 0 };
    of(spends, ScriptBuf::new(), ScriptBuf::from_bytes(vec![OP_RETURN.to_u8()]))
}

/// BIP-340's hash of a text under the standard's tag.
fn text_hash(text: &str) -> [u8; 32] {
    let tag = sha256::Hash::hash(TAG).to_byte_array();
    let mut engine = sha256::HashEngine::default();
    engine.input(&tag);
    engine.input(&tag);
    engine.input(text.as_bytes());
    sha256::Hash::from_engine(engine).to_byte_array()
}

/// What is signed for a text. No transaction begins as these bytes do.
fn evm_hash(text: &str) -> [u8; 32] {
    keccak(format!("\x19Ethereum Signed Message:\n{}{text}", text.len()).as_bytes())
}

/// The signature's two numbers and 27 or 28, as digits.
fn of_evm(keys: &Keys, key: Key, text: &str) -> Result<String, KeyError> {
    let (numbers, odd) = keys.evm_sign(key, evm_hash(text))?;
    Ok(format!("0x{}{:02x}", numbers.to_lower_hex_string(), V + u8::from(odd)))
}
