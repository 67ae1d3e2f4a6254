// SPDX-License-Identifier: MIT OR Apache-2.0
// Tokens of the tests. The bytecode beside this file is made of it: solc 0.8, optimised, for `paris`.
pragma solidity ^0.8.20;

abstract contract Ledger {
    event Transfer(address indexed from, address indexed to, uint256 value);

    string public name = "Test Dollar";
    mapping(address => uint256) public balanceOf;

    constructor(uint256 supply) {
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function move(address to, uint256 value, uint256 arrives) internal {
        require(balanceOf[msg.sender] >= value, "too little");
        unchecked {
            balanceOf[msg.sender] -= value;
            balanceOf[to] += arrives;
        }
        emit Transfer(msg.sender, to, arrives);
    }
}

// As the standard asks.
contract Plain is Ledger {
    constructor(uint256 supply) Ledger(supply) {}

    function transfer(address to, uint256 value) external returns (bool) {
        move(to, value, value);
        return true;
    }

    // Two transfers in one transaction.
    function split(address a, address b, uint256 value) external {
        move(a, value, value);
        move(b, value, value);
    }
}

// Answers nothing.
contract Silent is Ledger {
    constructor(uint256 supply) Ledger(supply) {}

    function transfer(address to, uint256 value) external {
        move(to, value, value);
    }
}

// A hundredth is lost on the way.
contract Taxed is Ledger {
    constructor(uint256 supply) Ledger(supply) {}

    function transfer(address to, uint256 value) external returns (bool) {
        move(to, value, value - value / 100);
        return true;
    }
}

// Moves, tells it, and then fails.
contract Broken is Ledger {
    constructor(uint256 supply) Ledger(supply) {}

    function transfer(address to, uint256 value) external returns (bool) {
        move(to, value, value);
        revert("never");
    }
}
